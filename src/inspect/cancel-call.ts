import { longestAnswerBytes } from '../observe/status/protocol.js';
import { askOnce } from '../platform/sockets/socket-client.js';
import { socketDirectory, socketDirectoryProblem, socketPath } from '../platform/sockets/socket-directory.js';
import { parseName } from '../platform/sockets/socket-names.js';
import { namesIn } from './list-sessions.js';

/** A working process answers in a few ms. */
const answerLimitMs = 2_000;

/** Cancels a running call of this user. `unknown`: no such call runs. `silent`: the process that runs it does not answer. */
export async function cancelCall(
  id: string,
  warn: (message: string) => void,
): Promise<'cancelled' | 'unknown' | 'silent'> {
  const [, pid, call] = /^([1-9]\d{0,9})-([1-9]\d{0,14})$/.exec(id) ?? [];
  if (pid === undefined) return 'unknown';
  const directory = socketDirectory();
  const problem = socketDirectoryProblem(directory);
  if (problem !== undefined) {
    warn(`calls cannot be seen: ${problem}`);
    return 'unknown';
  }
  const own = namesIn(directory).filter((name) => parseName(name)?.pid === Number(pid));
  const answers = await Promise.all(own.map((name) => ask(socketPath(directory, name), Number(call))));
  return answers.find((answer) => answer === 'cancelled') ?? answers.find((answer) => answer === 'silent') ?? 'unknown';
}

async function ask(path: string, call: number): Promise<'cancelled' | 'unknown' | 'silent'> {
  const question = { ask: 'cancel', call };
  const answer = await askOnce(path, question, { limitMs: answerLimitMs, maxBytes: longestAnswerBytes });
  if (answer.is === 'silent' || answer.is === 'busy') return 'silent';
  return answer.is === 'answer' && answer.message['cancelled'] === true ? 'cancelled' : 'unknown';
}
