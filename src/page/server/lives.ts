import type { ServerStatus } from '../../observe/status/protocol.js';
import { type Life, recentMs } from '../messages.js';

/** When the processes of servers lived, in the last half hour. */
export interface Lives {
  /** How a server stands in a session of a process of the workbench. */
  note(pid: number, session: string, server: ServerStatus): void;
  /** What still lives in a process of the workbench, or in one session of it, has ended. */
  end(pid: number, session?: string): void;
  /** All about a process will be noted again. */
  forget(pid: number): void;
  of(toolbox: string, server: string, now: number): readonly Life[];
}

interface Kept {
  readonly pid: number;
  readonly session: string;
  readonly toolbox: string;
  readonly server: string;
  readonly from: number;
  ready: number | undefined;
  to: number | undefined;
}

export function createLives(): Lives {
  let all: Kept[] = [];

  function current(pid: number, session: string, { toolbox, server }: ServerStatus): Kept | undefined {
    return all.find(
      (one) =>
        one.to === undefined &&
        one.pid === pid &&
        one.session === session &&
        one.toolbox === toolbox &&
        one.server === server,
    );
  }

  return {
    note(pid, session, status) {
      const { toolbox, server, state, since, startMs = 0 } = status;
      const known = current(pid, session, status);
      const place = { pid, session, toolbox, server, to: undefined };
      if (state === 'starting') {
        // The start before it was given up unheard.
        if (known !== undefined && known.from < since) known.to = since;
        if (known === undefined || known.to !== undefined) all.push({ ...place, from: since, ready: undefined });
      } else if (state === 'awake') {
        if (known === undefined) all.push({ ...place, from: since - startMs, ready: since });
        else known.ready ??= since;
      } else if (known !== undefined) known.to = Math.max(known.from, since);
    },
    end(pid, session) {
      const now = Date.now();
      for (const one of all) if (one.pid === pid && (session === undefined || one.session === session)) one.to ??= now;
    },
    forget(pid) {
      all = all.filter((one) => one.pid !== pid);
    },
    of(toolbox, server, now) {
      all = all.filter(({ to }) => to === undefined || now - to <= recentMs);
      return all
        .filter((one) => one.toolbox === toolbox && one.server === server)
        .map(({ from, ready, to }) => ({ from, ready, to }));
    },
  };
}
