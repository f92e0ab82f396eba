import type * as NodeNet from 'node:net';
import type { Socket } from 'node:net';
import { type Answers, type Received, readAnswers } from './answers.js';
import { wireNumber } from './wire-number.js';

/** A socket without a process behind it, or with one that cannot be reached. */
export interface Unreachable {
  /** `nobody`: no listener. `gone`: there is no socket either. `busy`: anything else, such as a process that has too much to do. */
  readonly is: 'nobody' | 'gone' | 'busy';
  readonly why: string;
}

export type Connection = { readonly is: 'connected'; readonly socket: Socket } | Unreachable;

/** A working process accepts in a few ms. For a stopped one the system accepts. */
const connectLimitMs = 2_000;

/** Connects to a socket of ours. Never throws. Errors after the connection was made only close it. */
export function connectTo(path: string, limitMs = connectLimitMs): Promise<Connection> {
  // Mostly there is no process to ask, and loading it takes longer than all the rest.
  const { createConnection }: typeof NodeNet = process.getBuiltinModule('node:net');
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const settle = (connection: Connection) => {
      clearTimeout(late);
      if (connection.is !== 'connected') socket.destroy();
      resolve(connection);
    };
    const late = setTimeout(() => settle({ is: 'busy', why: `no connection within ${limitMs} ms` }), limitMs);
    socket.on('error', ({ code, message }: NodeJS.ErrnoException) => settle({ is: meaningOf(code), why: message }));
    socket.once('connect', () => settle({ is: 'connected', socket }));
  });
}

interface Question {
  readonly ask: string;
  /** Whether to answer `watch` with what happened before as well. */
  readonly history?: true;
  /** The number of the call to cancel. */
  readonly call?: number;
}

/** The one line that asks a process of ours for something. */
export function askLine(question: Question): string {
  return `${JSON.stringify({ workbench: wireNumber, ...question })}\n`;
}

/** Asks, and reads what is answered. */
export function ask(socket: Socket, line: string, maxBytes: number): Answers {
  socket.write(line);
  return readAnswers(socket, maxBytes);
}

/** The first answer of the process at a socket, all within a time limit. Never throws. */
export async function askOnce(
  path: string,
  question: Question,
  { limitMs, maxBytes }: { readonly limitMs: number; readonly maxBytes: number },
): Promise<Received | Unreachable> {
  const until = performance.now() + limitMs;
  const connection = await connectTo(path, limitMs);
  if (connection.is !== 'connected') return connection;
  const { socket } = connection;
  const received = await ask(socket, askLine(question), maxBytes).next(Math.max(1, until - performance.now()));
  socket.destroy();
  return received;
}

/** Of an error before a socket is connected. ECONNRESET: the process was killed before it accepted. */
function meaningOf(code: string | undefined): Unreachable['is'] {
  if (code === 'ENOENT') return 'gone';
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' ? 'nobody' : 'busy';
}
