import { type CallRow, maxCalls } from '../../inspect/call-log.js';
import { recentMs } from '../../inspect/lives.js';

/** The calls of a server or a tool. */
export interface Usage {
  readonly calls: readonly CallRow[];
  readonly failed: number;
  /** In ms; undefined if none has ended. */
  readonly median: number | undefined;
  readonly last: number | undefined;
}

export const unused: Usage = { calls: [], failed: 0, median: undefined, last: undefined };

export function isFailure({ outcome }: CallRow): boolean {
  return outcome === 'error' || outcome === 'failed' || outcome === 'refused';
}

/** By a key of several names, which no other names have. */
export function keyOf(...names: readonly string[]): string {
  return JSON.stringify(names);
}

export function usageBy(calls: readonly CallRow[], key: (call: CallRow) => string): ReadonlyMap<string, Usage> {
  const groups = new Map<string, CallRow[]>();
  for (const call of calls) {
    const name = key(call);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [call]);
    else group.push(call);
  }
  return new Map(Array.from(groups, ([name, group]) => [name, usageOf(group)]));
}

function usageOf(calls: readonly CallRow[]): Usage {
  const times = calls.flatMap(({ ms }) => ms ?? []).sort((one, other) => one - other);
  return {
    calls,
    failed: calls.filter(isFailure).length,
    median: times[times.length >> 1],
    last: calls.at(-1)?.at,
  };
}

/** Those of the last half hour. They are in order of time, as far as that matters. */
export function recent(calls: readonly CallRow[], now: number): readonly CallRow[] {
  return calls.filter(({ at }) => now - at <= recentMs);
}

/** Whether there were more calls in the last half hour than the page has. */
export function isCut(calls: readonly CallRow[], now: number): boolean {
  return calls.length >= maxCalls && now - (calls[0]?.at ?? 0) < recentMs;
}
