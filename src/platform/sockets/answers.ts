import type { Socket } from 'node:net';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { wireNumber } from './wire-number.js';

/** What comes from the process at the other end. */
export type Received =
  | { readonly is: 'answer'; readonly message: JsonObject }
  /** Not of this protocol: it is another program, or of another version. */
  | { readonly is: 'foreign' }
  /** It closed the connection: it is ending, or has too many clients. */
  | { readonly is: 'closed' }
  /** There was no answer in time. */
  | { readonly is: 'silent' };

export interface Answers {
  /** One at a time. Any number of ms, Infinity as well. */
  next(limitMs: number): Promise<Received>;
  /** Stops reading. What follows the last answer goes back to the socket, which is paused. */
  release(): void;
}

/** The lines of a socket of ours, each a message with the number of the protocol, and at most so long. */
export function readAnswers(socket: Socket, maxBytes: number): Answers {
  const lines = createLines();
  let isClosed = false;
  let wake: (() => void) | undefined;

  const onData = (chunk: Buffer) => {
    lines.add(chunk);
    // No reader waits at the moment.
    if (wake === undefined && lines.bytes() > maxBytes) socket.pause();
    wake?.();
  };
  const onClose = () => {
    isClosed = true;
    wake?.();
  };
  socket.on('data', onData).once('close', onClose);

  function received(): Received | undefined {
    const line = lines.take();
    if (line !== undefined) return line.length > maxBytes ? { is: 'foreign' } : readAnswer(line.toString('utf8'));
    if (lines.bytes() > maxBytes) return { is: 'foreign' };
    return isClosed ? { is: 'closed' } : undefined;
  }

  return {
    next(limitMs) {
      const now = received();
      if (now !== undefined) return Promise.resolve(now);
      socket.resume();
      return new Promise((resolve) => {
        const settle = (result: Received) => {
          clearTimeout(late);
          wake = undefined;
          resolve(result);
        };
        // A timer would take Infinity for 1 ms.
        const late = limitMs === Infinity ? undefined : setTimeout(() => settle({ is: 'silent' }), limitMs);
        wake = () => {
          const result = received();
          if (result !== undefined) settle(result);
        };
      });
    },
    release() {
      socket.off('data', onData).off('close', onClose).pause();
      const rest = lines.rest();
      if (rest.length > 0) socket.unshift(rest);
    },
  };
}

function readAnswer(line: string): Received {
  try {
    const message: unknown = JSON.parse(line);
    return isRecord(message) && message['workbench'] === wireNumber ? { is: 'answer', message } : { is: 'foreign' };
  } catch {
    return { is: 'foreign' };
  }
}

/** Chunks, cut at line ends. Each byte is searched once. */
function createLines() {
  let chunks: Buffer[] = [];
  let searched = 0;
  let bytes = 0;

  function take(): Buffer | undefined {
    for (; searched < chunks.length; searched++) {
      const chunk = chunks[searched];
      const end = chunk?.indexOf('\n') ?? -1;
      if (chunk === undefined || end === -1) continue;
      const line = Buffer.concat([...chunks.slice(0, searched), chunk.subarray(0, end)]);
      chunks = [chunk.subarray(end + 1), ...chunks.slice(searched + 1)];
      searched = 0;
      bytes -= line.length + 1;
      return line;
    }
    return undefined;
  }

  return {
    take,
    add(chunk: Buffer): void {
      chunks.push(chunk);
      bytes += chunk.length;
    },
    bytes: () => bytes,
    rest: () => Buffer.concat(chunks),
  };
}
