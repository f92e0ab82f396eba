import { readdirSync, readFileSync } from 'node:fs';

/** Every process that we start carries this variable; what it starts inherits it. */
export const markVariable = 'MCP_WORKBENCH_CHILD';

// After this long, other work runs before the walk continues.
const sliceMs = 4;

/** What one walk through /proc has found. */
export interface Walk {
  /** Groups that have a living member. */
  readonly groups: ReadonlySet<number>;
  /** The processes that carry a mark, by mark. */
  readonly marked: ReadonlyMap<string, readonly number[]>;
  /** False if something could not be read, e.g. because no descriptor was free: then what was not found may still exist. */
  readonly isComplete: boolean;
}

/** Looks at every process once. Linux only. */
export async function walkProcesses(wantsMarks: boolean): Promise<Walk> {
  const groups = new Set<number>();
  const marked = new Map<string, number[]>();
  let isComplete = true;

  // Synchronous, so that no descriptor is held while other code runs: the walk may be using the last one.
  function attempt<T>(read: () => T, otherwise: T): T {
    try {
      return read();
    } catch (error) {
      if (!isOutOfSight(error)) isComplete = false;
      return otherwise;
    }
  }
  const read = (file: string) => attempt(() => readFileSync(`/proc/${file}`, 'utf8'), '');

  const entries = attempt(() => readdirSync('/proc'), undefined);
  if (entries === undefined) return { groups, marked, isComplete: false };
  const ourStart = parseStat(read('self/stat'))?.startTime ?? 0;
  let sliceEnd = performance.now() + sliceMs;
  for (const pid of entries.filter((name) => /^\d+$/.test(name))) {
    if (performance.now() > sliceEnd) {
      await new Promise((resolve) => setImmediate(resolve));
      sliceEnd = performance.now() + sliceMs;
    }
    const stat = parseStat(read(`${pid}/stat`));
    if (stat?.isAlive !== true) continue;
    groups.add(stat.group);
    // A process older than the workbench was not started by it.
    const mark = wantsMarks && stat.startTime >= ourStart ? markIn(read(`${pid}/environ`)) : undefined;
    if (mark !== undefined) marked.set(mark, [...(marked.get(mark) ?? []), Number(pid)]);
  }
  return { groups, marked, isComplete };
}

/** The process has ended, or belongs to another user. Any other error says nothing about the process. */
function isOutOfSight(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM';
}

export interface Stat {
  readonly group: number;
  readonly isAlive: boolean;
  /** Since the boot, in clock ticks. */
  readonly startTime: number;
}

/** The fields of /proc/PID/stat that are used here. */
export function parseStat(text: string): Stat | undefined {
  // The name is in parentheses and may contain anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , group, threads, startTime] = [fields[0], fields[1], fields[2], fields[17], fields[19]];
  if (state === undefined || startTime === undefined) return undefined;
  // A zombie has ended, and stays if it is never reaped. One with more threads is a process whose first thread has ended.
  const isAlive = state !== 'Z' || Number(threads) > 1;
  return { group: Number(group), isAlive, startTime: Number(startTime) };
}

function markIn(environment: string): string | undefined {
  const name = `${markVariable}=`;
  return environment
    .split('\0')
    .find((entry) => entry.startsWith(name))
    ?.slice(name.length);
}
