import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundProcess, listSessions } from '../../src/inspect/list-sessions.js';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { parseName } from '../../src/platform/sockets/socket-names.js';
import { runnerOf } from './hosts.js';
import { until } from './until.js';
import { initialize, type RunningWorkbench } from './workbench.js';

/** The sockets of a process. The directory is the user's own, so it also has those of others. */
export function socketsOf(pid: number): string[] {
  const directory = socketDirectory();
  return namesIn(directory)
    .filter((name) => parseName(name)?.pid === pid)
    .map((name) => join(directory, name));
}

/** A session that has made a call, as soon as others can see it. */
export async function beginSession(workbench: RunningWorkbench, call: object): Promise<void> {
  await initialize(workbench);
  await workbench.request('tools/call', call);
  await answerOf(workbench);
}

/** What the process that runs its servers answers. It has 300 ms for it, which may be too little on a busy machine: it is asked until it does. */
export function answerOf(workbench: RunningWorkbench): Promise<Extract<FoundProcess, { is: 'known' }>> {
  return until(
    async () => {
      const found = await sessionsOf(workbench);
      // A host reports a session a moment after its first call.
      return found?.is === 'known' && found.sessions.length > 0 && found;
    },
    { what: 'an answer about the session' },
  );
}

/** What it answers now, about this session alone if it is a host. */
export async function sessionsOf(workbench: RunningWorkbench): Promise<FoundProcess | undefined> {
  const runner = runnerOf(workbench);
  const found = (await listSessions()).find(({ pid }) => pid === runner);
  if (found?.is !== 'known' || found.host === undefined) return found;
  return { ...found, sessions: found.sessions.filter(({ front }) => front === workbench.pid) };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
