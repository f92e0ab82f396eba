import type { CallStatus, StatusEvent } from '../observe/status/protocol.js';

/** One that has not ended. */
export type RunningCall = CallStatus;

export interface CallRow {
  /** Counts up. */
  readonly id: number;
  readonly at: number;
  readonly client: string;
  readonly toolbox: string;
  readonly server: string;
  readonly tool: string;
  readonly ms?: number | undefined;
  /** `refused`: nothing was sent. */
  readonly outcome: (typeof outcomes)[number] | 'refused';
  readonly code?: string | undefined;
  /** Of one that did not succeed: the first line of the error; no configured secret is in it. */
  readonly reason?: string | undefined;
  readonly sent?: number | undefined;
  readonly received?: number | undefined;
}

/** Calls that are kept. */
export const maxCalls = 5_000;

/** The calls of all sessions. */
export interface CallLog {
  add(pid: number, event: StatusEvent): void;
  /** All about a process will be added again. */
  forget(pid: number): void;
  /** From old to new, in order of time. */
  all(): readonly CallRow[];
  /** New ones since the last call; all if older ones were dropped. */
  news(): { readonly calls: readonly CallRow[]; readonly isAll: boolean } | undefined;
}

const outcomes = ['ok', 'error', 'asked', 'failed'] as const;

export function createCallLog(): CallLog {
  let kept: { readonly pid: number; readonly row: CallRow }[] = [];
  let fresh: CallRow[] = [];
  let isReset = false;
  let lastId = 0;

  function all(): readonly CallRow[] {
    return kept.map(({ row }) => row).sort((one, other) => one.at - other.at);
  }

  return {
    add(pid, event) {
      const row = rowOf(event, lastId + 1);
      if (row === undefined) return;
      lastId++;
      kept.push({ pid, row });
      fresh.push(row);
      // Not one by one: each time the rest is copied.
      if (kept.length >= 2 * maxCalls) kept = kept.slice(-maxCalls);
      if (fresh.length > maxCalls) fresh = fresh.slice(-maxCalls);
    },
    forget(pid) {
      if (!kept.some((one) => one.pid === pid)) return;
      kept = kept.filter((one) => one.pid !== pid);
      isReset = true;
    },
    all: () => all().slice(-maxCalls),
    news() {
      if (fresh.length === 0 && !isReset) return undefined;
      const news = isReset ? { calls: all().slice(-maxCalls), isAll: true } : { calls: fresh, isAll: false };
      fresh = [];
      isReset = false;
      return news;
    },
  };
}

/** Openings are no calls. */
function rowOf(event: StatusEvent, id: number): CallRow | undefined {
  if (event.is !== 'called' && event.is !== 'refused') return undefined;
  const { at, toolbox, server = '', tool = '', client = '', ms, code, reason, sent, received } = event;
  const outcome = event.is === 'refused' ? 'refused' : (outcomes.find((one) => one === event.outcome) ?? 'failed');
  return { id, at, client, toolbox, server, tool, ms, outcome, code, reason, sent, received };
}
