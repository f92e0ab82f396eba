import { messageOf } from '../../contract/errors.js';
import type { FoundProcess } from '../../inspect/list-sessions.js';
import type { ServerStatus } from '../../observe/status/protocol.js';
import { version } from '../../platform/version.js';
import type { Board, ServerRow } from '../messages.js';
import type { MeasureGroups } from './memory.js';
import type { Known, KnownServer, PageSource } from './page-source.js';
import type { SessionsModel } from './sessions-model.js';

/** Puts together what the configuration, the sessions and the processes say. */
export interface BoardMaker {
  /** What is known of the configuration, as it was when it could last be read. */
  make(): Promise<Board>;
  /** The processes are measured anew for the next board. */
  measure(): Promise<void>;
}

const nothing: Known = { config: null, expected: '', begin: [], startTokens: 0, toolboxes: [] };

export function createBoardMaker(source: PageSource, model: SessionsModel, measureGroups: MeasureGroups): BoardMaker {
  let known = nothing;
  let used: ReadonlyMap<number, number> = new Map();
  const lastMemory = new Map<string, number>();

  function rowOf(server: KnownServer, running: readonly ServerStatus[], now: number): ServerRow {
    const pids = [...new Set(running.flatMap(({ pid }) => pid ?? []))];
    const measured = pids.flatMap((pid) => used.get(pid) ?? []);
    const memory = measured.reduce((sum, bytes) => sum + bytes, 0);
    const key = JSON.stringify([server.toolbox, server.server]);
    if (measured.length > 0) lastMemory.set(key, memory / measured.length);
    const [first] = running;
    return {
      ...server,
      processes: pids.length,
      memory: measured.length > 0 ? memory : undefined,
      lastMemory: lastMemory.get(key),
      software: first?.software,
      startMs: first?.startMs,
      lives: model.lives.of(server.toolbox, server.server, now),
    };
  }

  return {
    async make() {
      const processes = model.processes();
      const problems = processes.flatMap(problemOf);
      try {
        known = await source.read(processes);
      } catch (error) {
        problems.unshift(`${messageOf(error)} What was read before is shown.`);
      }
      const now = Date.now();
      const sessions = processes.flatMap((one) =>
        one.is === 'known' ? one.sessions.map((session) => ({ ...session, pid: one.pid })) : [],
      );
      const awake = sessions.flatMap(({ servers }) => servers).filter(({ state }) => state === 'awake');
      const { config, expected, begin, startTokens } = known;
      return {
        ...{ now, version, config, expected, begin, problems, startTokens },
        sessions: sessions.map(({ client, pid, since }) => ({ client: client?.name ?? '', pid, since })),
        toolboxes: known.toolboxes.map(({ name, description, servers }) => ({
          ...{ name, description },
          servers: servers.map((server) =>
            rowOf(
              server,
              awake.filter((one) => isOf(one, server)),
              now,
            ),
          ),
        })),
      };
    },
    async measure() {
      const processes = model.processes();
      const pids = processes.flatMap((one) =>
        one.is === 'known' ? one.sessions.flatMap(({ servers }) => servers.flatMap(({ pid }) => pid ?? [])) : [],
      );
      used = await measureGroups(new Set(pids)).catch(() => used);
    },
  };
}

function isOf(one: ServerStatus, { toolbox, server }: KnownServer): boolean {
  return one.toolbox === toolbox && one.server === server;
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
