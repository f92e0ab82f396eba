import type { ServerNames } from '../config/lock-file/tool-lock.js';
import type { ServerStatus } from '../observe/status/protocol.js';

/** When a process was started, was ready and ended. One that is missing has not come yet, or never came. */
export interface Life {
  readonly from: number;
  readonly ready?: number | undefined;
  readonly to?: number | undefined;
}

/** What counts as recent. */
export const recentMs = 30 * 60_000;

interface Kept extends ServerNames {
  readonly pid: number;
  readonly session: string;
  readonly from: number;
  ready: number | undefined;
  to: number | undefined;
}

/** When the processes of servers lived, in the last half hour. `pid`: of the process of the workbench. */
export function createLives() {
  let all: Kept[] = [];
  const of = (one: ServerNames) => (kept: Kept) => kept.toolbox === one.toolbox && kept.server === one.server;

  return {
    /** How a server stands in a session. */
    note(pid: number, session: string, status: ServerStatus): void {
      const { toolbox, server, state, since, startMs = 0 } = status;
      const known = all
        .filter(of(status))
        .find((one) => one.to === undefined && one.pid === pid && one.session === session);
      const place = { pid, session, toolbox, server, to: undefined };
      if (state === 'starting') {
        // We missed the end of the previous start.
        if (known !== undefined && known.from < since) known.to = since;
        if (known === undefined || known.to !== undefined) all.push({ ...place, from: since, ready: undefined });
      } else if (state === 'awake') {
        if (known === undefined) all.push({ ...place, from: since - startMs, ready: since });
        else known.ready ??= since;
      } else if (known !== undefined) known.to = Math.max(known.from, since);
    },
    /** What still lives in a process, or in one session of it, has ended. */
    end(pid: number, session?: string): void {
      const now = Date.now();
      for (const one of all) if (one.pid === pid && (session === undefined || one.session === session)) one.to ??= now;
    },
    /** All about a process will be noted again. */
    forget(pid: number): void {
      all = all.filter((one) => one.pid !== pid);
    },
    of(server: ServerNames, now: number): readonly Life[] {
      all = all.filter(({ to }) => to === undefined || now - to <= recentMs);
      return all.filter(of(server)).map(({ from, ready, to }) => ({ from, ready, to }));
    },
  };
}
