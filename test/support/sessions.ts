import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FoundProcess, listSessions } from '../../src/inspect/list-sessions.js';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { parseName } from '../../src/platform/sockets/socket-names.js';
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
  await until(() => socketsOf(workbench.pid).length === 1, { what: 'the socket of the session' });
}

/** What a process answers. It has 300 ms for it, which may be too little on a busy machine: it is asked until it does. */
export function answerOf(workbench: RunningWorkbench): Promise<Extract<FoundProcess, { is: 'known' }>> {
  return until(
    async () => {
      const found = await sessionsOf(workbench);
      return found?.is === 'known' && found;
    },
    { what: 'an answer of the session' },
  );
}

/** What a process answers now. Sessions of other tests are not asked. */
export async function sessionsOf({ pid, dir }: RunningWorkbench): Promise<FoundProcess | undefined> {
  const found = await listSessions({ config: join(dir, 'workbench-config.json') });
  return found.find((one) => one.pid === pid);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
