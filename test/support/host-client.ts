import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { version } from '../../src/platform/version.js';
import { builtAs } from './hosts.js';
import type { SharedSessions } from './shared.js';

/** A program at the socket of a host that may send anything. */
export interface HostClient {
  readonly socket: Socket;
  /** All that the host has sent so far. */
  text(): string;
  readonly closed: Promise<unknown>;
}

/** Connects, and sends these bytes at once. */
export function connectTo({ socket: path }: SharedSessions, bytes: string | Buffer): HostClient {
  const socket = createConnection(path);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  socket.write(bytes);
  onTestFinished(() => void socket.destroy());
  return { socket, text: () => Buffer.concat(chunks).toString('utf8'), closed: once(socket, 'close') };
}

/** The line of a session that attaches, with the embedded configuration. */
export function helloOf(changes: object = {}): string {
  const place = { pid: 1, cwd: '/', home: '/', env: {}, config: null, note: null, isFrozen: false };
  return `${JSON.stringify({ workbench: 1, ask: 'attach', version, build: builtAs(), ...place, ...changes })}\n`;
}
