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
  /** The characters of its result that the client got, if it was not sent as it came. */
  readonly shown?: number | undefined;
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
  /** New and changed ones since the last call; all if older ones were dropped. */
  news(): { readonly calls: readonly CallRow[]; readonly isAll: boolean } | undefined;
}

type ShownEvent = Extract<StatusEvent, { readonly is: 'shown' }>;

interface Kept {
  readonly pid: number;
  /** Its number in its process. */
  readonly call: number | undefined;
  row: CallRow;
}

const outcomes = ['ok', 'error', 'asked', 'failed'] as const;

export function createCallLog(): CallLog {
  let kept: Kept[] = [];
  /** By their ids, in order. */
  let fresh = new Map<number, CallRow>();
  let isReset = false;
  let lastId = 0;

  function noteShown(pid: number, { call, chars }: ShownEvent): void {
    const one = kept.findLast((other) => other.pid === pid && other.call === call);
    if (one === undefined) return;
    one.row = { ...one.row, shown: chars };
    fresh.set(one.row.id, one.row);
  }

  function all(): readonly CallRow[] {
    return kept.map(({ row }) => row).sort((one, other) => one.at - other.at);
  }

  return {
    add(pid, event) {
      if (event.is === 'shown') return noteShown(pid, event);
      const row = rowOf(event, lastId + 1);
      if (row === undefined) return;
      lastId++;
      kept.push({ pid, call: event.is === 'called' ? event.call : undefined, row });
      fresh.set(row.id, row);
      // Not one by one: each time the rest is copied.
      if (kept.length >= 2 * maxCalls) kept = kept.slice(-maxCalls);
      if (fresh.size >= 2 * maxCalls) fresh = new Map([...fresh].slice(-maxCalls));
    },
    forget(pid) {
      if (!kept.some((one) => one.pid === pid)) return;
      kept = kept.filter((one) => one.pid !== pid);
      isReset = true;
    },
    all: () => all().slice(-maxCalls),
    news() {
      if (fresh.size === 0 && !isReset) return undefined;
      const calls = isReset ? all() : [...fresh.values()];
      const news = { calls: calls.slice(-maxCalls), isAll: isReset };
      fresh = new Map();
      isReset = false;
      return news;
    },
  };
}

/** `news`: what has changed of the known calls, and new ones. A session that is seen later may bring calls that were made before others. */
export function withNews(known: readonly CallRow[], news: readonly CallRow[]): readonly CallRow[] {
  const rows = new Map(news.map((row) => [row.id, row]));
  const kept = known.map((row) => {
    const now = rows.get(row.id) ?? row;
    rows.delete(row.id);
    return now;
  });
  const all = [...kept, ...rows.values()];
  const isInOrder = (all[kept.length]?.at ?? Infinity) >= (kept.at(-1)?.at ?? 0);
  return (isInOrder ? all : all.sort((one, other) => one.at - other.at)).slice(-maxCalls);
}

/** Openings are no calls. */
function rowOf(event: StatusEvent, id: number): CallRow | undefined {
  if (event.is !== 'called' && event.is !== 'refused') return undefined;
  const { at, toolbox, server = '', tool = '', client = '', ms, code, reason, sent, received, shown } = event;
  const outcome = event.is === 'refused' ? 'refused' : (outcomes.find((one) => one === event.outcome) ?? 'failed');
  return { id, at, client, toolbox, server, tool, ms, outcome, code, reason, sent, received, shown };
}
