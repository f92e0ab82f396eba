import { readdirSync, readFileSync } from 'node:fs';

/** Every process that we start carries this variable; what it starts inherits it. */
export const markVariable = 'MCP_WORKBENCH_CHILD';

// Other work gets its turn in between.
const sliceMs = 4;

/** What one walk through /proc has found. */
export interface Walk {
  /** Groups that have a living member. */
  readonly groups: ReadonlySet<number>;
  /** The processes that carry a mark, by mark. */
  readonly marked: ReadonlyMap<string, readonly number[]>;
  /** False if something could not be read, e.g. for want of descriptors: then nothing can be said of what was not found. */
  readonly isComplete: boolean;
}

/** Looks at every process once. Linux only. */
export async function walkProcesses(wantsMarks: boolean): Promise<Walk> {
  const groups = new Set<number>();
  const marked = new Map<string, number[]>();
  let isComplete = true;

  // In one go, so that a descriptor is never held while anything else runs: the walk may need the last one there is.
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
    // What is older than we are was not started by us.
    const mark = wantsMarks && stat.startTime >= ourStart ? markIn(read(`${pid}/environ`)) : undefined;
    if (mark !== undefined) marked.set(mark, [...(marked.get(mark) ?? []), Number(pid)]);
  }
  return { groups, marked, isComplete };
}

/** The process is gone, or somebody else's. Any other error says nothing about the process. */
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

/** The few of the fields in /proc/PID/stat that matter here. */
export function parseStat(text: string): Stat | undefined {
  // The name stands in parentheses and may hold anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , group, threads, startTime] = [fields[0], fields[1], fields[2], fields[17], fields[19]];
  if (state === undefined || startTime === undefined) return undefined;
  // A zombie has ended; where nobody reaps it, it stays for ever. One with more threads is a process without its first thread.
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
