import { messageOf } from '../../contract/errors.js';
import { knownServers } from '../../inspect/known-servers.js';
import type { FoundProcess } from '../../inspect/list-sessions.js';
import { readLockOf } from '../../inspect/lock-changes.js';
import { memoryOf } from '../../inspect/memory.js';
import type { ServerState } from '../../inspect/server-states.js';
import { serverStates } from '../../inspect/server-states.js';
import type { SessionsModel } from '../../inspect/sessions-model.js';
import type { WrittenConfiguration } from '../../inspect/written-servers.js';
import { version } from '../../platform/version.js';
import type { Board, ServerRow, ToolRow } from '../messages.js';
import type { PageSource } from './page-source.js';
import { serverRow, toolRows } from './rows.js';

/** Puts together what the configuration, the sessions and the processes say. */
export interface BoardMaker {
  /** What is known of the configuration, as it was when it could last be read. */
  make(): Promise<Board>;
  tools(): Promise<readonly ToolRow[]>;
  /** The processes are measured again for the next board. */
  measure(): Promise<void>;
}

export function createBoardMaker(source: PageSource, model: Pick<SessionsModel, 'processes' | 'livesOf'>): BoardMaker {
  const { computer } = source;
  let written: WrittenConfiguration | undefined;
  let servers: readonly ServerState[] = [];
  let used: ReadonlyMap<number, number> = new Map();
  const lastMemory = new Map<string, number>();

  async function read(processes: readonly FoundProcess[]): Promise<void> {
    const found = await source.configuration();
    servers = found ? serverStates(found, processes, computer, await readLockOf(found.path, computer)) : [];
    written = found;
  }

  function memoryFor({
    toolbox,
    server,
    running,
  }: ServerState): Pick<ServerRow, 'processes' | 'memory' | 'lastMemory'> {
    const pids = [...new Set(running.flatMap(({ pid }) => pid ?? []))];
    const measured = pids.flatMap((pid) => used.get(pid) ?? []);
    const memory = measured.reduce((sum, bytes) => sum + bytes, 0);
    const key = JSON.stringify([toolbox, server]);
    if (measured.length > 0) lastMemory.set(key, memory / measured.length);
    return {
      processes: pids.length,
      memory: measured.length > 0 ? memory : undefined,
      lastMemory: lastMemory.get(key),
    };
  }

  return {
    async make() {
      const processes = model.processes();
      const problems = processes.flatMap(problemOf);
      await read(processes).catch((error: unknown) =>
        problems.unshift(`${messageOf(error)} What was read before is shown.`),
      );
      const now = Date.now();
      const { expected, begin } = source;
      const startTokens = written === undefined ? 0 : source.startTokens(written);
      const rows = servers.map((server) =>
        serverRow(server, source.next(server), memoryFor(server), model.livesOf(server, now)),
      );
      return {
        ...{ now, version, config: source.config(), expected, begin, problems, startTokens },
        sessions: processes.flatMap((one) =>
          one.is !== 'known'
            ? []
            : one.sessions.map(({ client, since, user }) => ({
                client: client?.name ?? '',
                pid: one.pid,
                since,
                user,
              })),
        ),
        running: processes
          .flatMap((one) => (one.is === 'known' ? one.sessions : []))
          .flatMap(({ calls }) => calls)
          .sort((one, other) => one.since - other.since),
        toolboxes: [...(written?.file.toolboxes ?? [])].map(([name, { description = '' }]) => ({
          ...{ name, description },
          servers: rows.filter(({ toolbox }) => toolbox === name),
        })),
      };
    },
    async tools() {
      const known = written === undefined ? [] : await knownServers(written, computer, {});
      return known.flatMap(toolRows);
    },
    async measure() {
      const pids = model
        .processes()
        .flatMap((one) => (one.is === 'known' ? one.sessions : []))
        .flatMap((session) => session.servers.flatMap(({ pid }) => pid ?? []));
      used = await memoryOf(new Set(pids), computer.platform).catch(() => used);
    },
  };
}

function problemOf(found: FoundProcess): string[] {
  switch (found.is) {
    case 'known':
      return [];
    case 'silent':
      return [`Session ${found.pid} does not answer: its process is stopped or busy.`];
    case 'foreign':
      return [`Session ${found.pid} is of another version of MCP Workbench: restart its client to see it here.`];
  }
}
