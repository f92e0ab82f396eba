import { longestAnswerBytes, type ProcessStatus } from '../observe/status/protocol.js';
import { readStatus } from '../observe/status/read-status.js';
import { askOnce } from '../platform/sockets/socket-client.js';

/** A person waits for it, and a working process answers in a few ms. */
const answerLimitMs = 300;

export type StatusAnswer =
  | { readonly is: 'status'; readonly status: ProcessStatus }
  /** Connected or not, there was no answer in time. */
  | { readonly is: 'silent' }
  | { readonly is: 'foreign' }
  /** The socket has no listener. */
  | { readonly is: 'dead' }
  /** There is no socket any more. */
  | { readonly is: 'gone' };

/** Asks one process for its status. Never throws. */
export async function askStatus(path: string): Promise<StatusAnswer> {
  const answer = await askOnce(path, { ask: 'status' }, { limitMs: answerLimitMs, maxBytes: longestAnswerBytes });
  switch (answer.is) {
    case 'answer': {
      const status = readStatus(answer.message['status']);
      return status === undefined ? { is: 'foreign' } : { is: 'status', status };
    }
    case 'nobody':
      return { is: 'dead' };
    case 'gone':
    case 'foreign':
      return { is: answer.is };
    case 'busy':
    case 'closed':
    case 'silent':
      return { is: 'silent' };
  }
}
