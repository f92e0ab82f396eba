import { isRecord } from '../jsonrpc/json.js';
import { longestAnswerBytes, type ProcessStatus } from '../observe/status/protocol.js';
import { readStatus } from '../observe/status/read-status.js';
import { wireNumber } from '../platform/sockets/wire-number.js';

/** A person waits for it, and a process that is well answers in a few ms. */
const answerLimitMs = 300;

export type StatusAnswer =
  | { readonly is: 'status'; readonly status: ProcessStatus }
  /** Connected or not, there was no answer in time. */
  | { readonly is: 'silent' }
  | { readonly is: 'foreign' }
  /** Nobody listens at this socket. */
  | { readonly is: 'dead' }
  /** There is no socket any more. */
  | { readonly is: 'gone' };

/** Asks one process for its status. Never throws. */
export async function askStatus(path: string): Promise<StatusAnswer> {
  // Mostly nobody is there to be asked, and loading it takes longer than all the rest.
  const { createConnection } = await import('node:net');
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (answer: StatusAnswer) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => settle({ is: 'silent' }), answerLimitMs);
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED') settle({ is: 'dead' });
      else if (code === 'ENOENT') settle({ is: 'gone' });
      else settle({ is: 'silent' });
    });
    socket.once('connect', () => socket.write(`${JSON.stringify({ workbench: wireNumber, ask: 'status' })}\n`));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (chunk.includes('\n')) settle(read(Buffer.concat(chunks).toString('utf8')));
      else if (bytes > longestAnswerBytes) settle({ is: 'foreign' });
    });
    // It closed without an answer: it is ending, or has too many clients.
    socket.once('end', () => settle({ is: 'silent' }));
  });
}

function read(text: string): StatusAnswer {
  try {
    const message: unknown = JSON.parse(text.slice(0, text.indexOf('\n')));
    if (!isRecord(message) || message['workbench'] !== wireNumber) return { is: 'foreign' };
    const status = readStatus(message['status']);
    return status === undefined ? { is: 'foreign' } : { is: 'status', status };
  } catch {
    return { is: 'foreign' };
  }
}
