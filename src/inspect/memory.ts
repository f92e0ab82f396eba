import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const limitMs = 2_000;
/** Of Linux, on all common machines. */
const pageBytes = 4_096;

/**
 * The bytes that process groups use, by the id of their leader: a server leads one, and what it has started is counted with
 * it. Empty where that cannot be found out.
 */
export async function memoryOf(leaders: ReadonlySet<number>, platform: string): Promise<ReadonlyMap<number, number>> {
  const used = new Map<number, number>();
  if (leaders.size === 0 || platform === 'win32') return used;
  await (platform === 'linux' ? addFromProc : addFromPs)(used, leaders);
  return used;
}

async function addFromProc(used: Map<number, number>, leaders: ReadonlySet<number>): Promise<void> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // One after the other: there may be thousands, and each takes a descriptor.
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    // The name of the program, in brackets, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    add(used, leaders, Number(fields[2]), Number(fields[21]) * pageBytes);
  }
}

async function addFromPs(used: Map<number, number>, leaders: ReadonlySet<number>): Promise<void> {
  try {
    const { stdout } = await promisify(execFile)('/bin/ps', ['-A', '-o', 'pgid=,rss='], { timeout: limitMs });
    for (const line of stdout.split('\n')) {
      const [group, kilobytes] = line.trim().split(/\s+/).map(Number);
      add(used, leaders, group ?? Number.NaN, (kilobytes ?? Number.NaN) * 1_024);
    }
  } catch {
    // Without it the page shows no memory.
  }
}

function add(used: Map<number, number>, leaders: ReadonlySet<number>, group: number, bytes: number): void {
  if (leaders.has(group) && Number.isFinite(bytes)) used.set(group, (used.get(group) ?? 0) + bytes);
}
