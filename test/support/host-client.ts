import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { version } from '../../src/platform/version.js';
import {
  textOf as contentOf,
  createFrameReader,
  createFrameWriter,
  type FrameKind,
} from '../../src/serve/host/frames.js';
import { showProof } from '../../src/serve/host/proof.js';
import { provenLine } from '../../src/serve/host/protocol.js';
import { builtAs } from './hosts.js';
import type { SharedSessions } from './shared.js';

/** A program at the socket of a host that may send anything. */
export interface HostClient {
  /** The frames that came after the answer to the hello. */
  frames(): { readonly kind: number; readonly number: number; readonly text: string }[];
  send(kind: FrameKind, number: number, content: string): void;
  readonly socket: Socket;
  /** All that the host has sent so far. */
  text(): string;
  readonly closed: Promise<unknown>;
}

/** Connects, and sends these bytes at once. */
export function connectTo({ socket: path }: SharedSessions, first: string | Buffer): HostClient {
  const socket = createConnection(path);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  socket.on('data', function prove(chunk: Buffer) {
    const [, nonce] = /"nonce":"([^"]*)"/.exec(chunk.toString('utf8')) ?? [];
    if (nonce === undefined) return;
    socket.off('data', prove);
    const takeBack = showProof(nonce);
    socket.write(provenLine);
    socket.once('data', takeBack);
  });
  socket.write(first);
  onTestFinished(() => void socket.destroy());
  const writer = createFrameWriter(socket);
  function frames() {
    const bytes = Buffer.concat(chunks);
    const start = bytes.indexOf('\n', bytes.indexOf('"attached"')) + 1;
    const read: ReturnType<HostClient['frames']> = [];
    createFrameReader(2 ** 30, (frame) =>
      read.push({ kind: frame.kind, number: frame.number, text: contentOf(frame) }),
    )(bytes.subarray(start));
    return read;
  }
  return {
    socket,
    text: () => Buffer.concat(chunks).toString('utf8'),
    frames,
    send: (kind, number, content) => writer.write(kind, number, content),
    closed: once(socket, 'close'),
  };
}

/** The line of a session that attaches, with the embedded configuration. */
export function helloOf(changes: object = {}): string {
  const place = {
    session: randomUUID(),
    pid: process.pid,
    cwd: '/',
    home: '/',
    env: {},
    config: null,
    note: null,
    isFrozen: false,
  };
  return `${JSON.stringify({ workbench: 1, ask: 'attach', version, build: builtAs(), ...place, ...changes })}\n`;
}
