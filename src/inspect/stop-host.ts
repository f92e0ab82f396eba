import { lstatSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { longestAnswerBytes } from '../observe/status/protocol.js';
import { askOnce } from '../platform/sockets/socket-client.js';
import { socketDirectory, socketDirectoryProblem, socketPath } from '../platform/sockets/socket-directory.js';
import { parseName, sharedNameOf } from '../platform/sockets/socket-names.js';
import { namesIn } from './list-sessions.js';

/** A working host answers in a few ms. */
const answerLimitMs = 2_000;
/** It ends its servers first. */
const endLimitMs = 10_000;

/** A host with a listener on its socket. */
export interface RunningHost {
  readonly pid: number;
  readonly path: string;
  /** The name at which sessions look for it. */
  readonly shared: string;
}

export async function listHosts(warn: (message: string) => void): Promise<readonly RunningHost[]> {
  const named = namedHosts(warn);
  const answers = await Promise.all(named.map(({ path }) => ask(path, 'status')));
  return named.filter((_, index) => answers[index] !== 'dead');
}

/** All hosts with a socket, dead ones included. */
export function namedHosts(warn: (message: string) => void): readonly RunningHost[] {
  const directory = socketDirectory();
  const problem = socketDirectoryProblem(directory);
  if (problem !== undefined) {
    warn(`hosts cannot be seen: ${problem}`);
    return [];
  }
  return namesIn(directory).flatMap((name) => {
    const shared = sharedNameOf(name);
    const pid = parseName(name)?.pid;
    return shared === undefined || pid === undefined ? [] : [{ pid, shared, path: socketPath(directory, name) }];
  });
}

/** `mayKill`: its id is known to be that of the process; it is used if it does not answer. */
export async function stopHost({ pid, path }: RunningHost, mayKill: boolean): Promise<'stopped' | 'silent'> {
  const answer = await ask(path, 'stop');
  if (answer === 'silent') {
    if (!mayKill) return 'silent';
    process.kill(pid, 'SIGKILL');
  }
  const until = performance.now() + endLimitMs;
  while (performance.now() < until) {
    if (!exists(path) || (await ask(path, 'status')) === 'dead') return 'stopped';
    await wait(50);
  }
  return 'silent';
}

/** Any answer will do, and a process that closes the connection is ending. */
async function ask(path: string, question: 'status' | 'stop'): Promise<'answered' | 'silent' | 'dead'> {
  const { is } = await askOnce(path, { ask: question }, { limitMs: answerLimitMs, maxBytes: longestAnswerBytes });
  if (is === 'nobody' || is === 'gone') return 'dead';
  return is === 'busy' || is === 'silent' ? 'silent' : 'answered';
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
