import { createConnection } from 'node:net';
import { isRecord } from '../jsonrpc/json.js';
import { longestAnswerBytes, type ProcessStatus, type StatusEvent } from '../observe/status/protocol.js';
import { readEvent, readStatus } from '../observe/status/read-status.js';
import { wireNumber } from '../platform/sockets/wire-number.js';

/** What is heard of one process. */
export interface ProcessListener {
  /** It answers: how it stands, and after that what happened before. */
  status(status: ProcessStatus): void;
  past(events: readonly StatusEvent[]): void;
  event(event: StatusEvent): void;
  /** The connection is over. `foreign`: it answers something else, or is of another version. `gone`: it has ended. */
  ended(why: 'foreign' | 'gone'): void;
}

/** Watches a process until it ends. The returned function ends this; nothing is heard after it. */
export function watchProcess(path: string, listener: ProcessListener): () => void {
  const socket = createConnection(path);
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isOver = false;

  function end(why: 'foreign' | 'gone'): void {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    listener.ended(why);
  }

  function receive(chunk: Buffer): void {
    let rest = chunk;
    for (let at = rest.indexOf('\n'); at !== -1 && !isOver; at = rest.indexOf('\n')) {
      const line = Buffer.concat([...pieces, rest.subarray(0, at)]).toString('utf8');
      pieces = [];
      bytes = 0;
      rest = rest.subarray(at + 1);
      if (!deliver(line, listener)) end('foreign');
    }
    pieces.push(rest);
    bytes += rest.length;
    if (bytes > longestAnswerBytes) end('foreign');
  }

  socket.once('connect', () =>
    socket.write(`${JSON.stringify({ workbench: wireNumber, ask: 'watch', history: true })}\n`),
  );
  socket.on('data', (chunk: Buffer) => void (isOver || receive(chunk)));
  socket.on('error', () => end('gone'));
  socket.once('close', () => end('gone'));
  return () => {
    isOver = true;
    socket.destroy();
  };
}

/** False for what is not of this protocol. Events of a kind that is not known are ignored. */
function deliver(line: string, listener: ProcessListener): boolean {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return false;
  }
  if (!isRecord(message) || message['workbench'] !== wireNumber || 'error' in message) return false;
  const { status, history, event } = message;
  if (status !== undefined) {
    const known = readStatus(status);
    if (known !== undefined) listener.status(known);
    return known !== undefined;
  }
  if (Array.isArray(history)) listener.past(history.flatMap((one: unknown) => readEvent(one) ?? []));
  const known = readEvent(event);
  if (known !== undefined) listener.event(known);
  return true;
}
