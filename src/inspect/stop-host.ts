import { lstatSync } from 'node:fs';
import { createConnection } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { socketDirectory, socketDirectoryProblem, socketPath } from '../platform/sockets/socket-directory.js';
import { parseName, sharedNameOf } from '../platform/sockets/socket-names.js';
import { wireNumber } from '../platform/sockets/wire-number.js';
import { namesIn } from './list-sessions.js';

/** A host that is well answers in a few ms. */
const answerLimitMs = 2_000;
/** It ends its servers first. */
const endLimitMs = 10_000;

/** A host that somebody listens for. */
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

/** Those that have a socket, dead ones as well. */
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

function ask(path: string, question: 'status' | 'stop'): Promise<'answered' | 'silent' | 'dead'> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    const settle = (answer: 'answered' | 'silent' | 'dead') => {
      clearTimeout(late);
      socket.destroy();
      resolve(answer);
    };
    const late = setTimeout(() => settle('silent'), answerLimitMs);
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      settle(code === 'ECONNREFUSED' || code === 'ENOENT' ? 'dead' : 'silent'),
    );
    socket.once('connect', () => socket.write(`${JSON.stringify({ workbench: wireNumber, ask: question })}\n`));
    socket.once('data', () => settle('answered'));
    // It ends.
    socket.once('end', () => settle('answered'));
  });
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
