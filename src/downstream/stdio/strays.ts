import { readdir, readFile } from 'node:fs/promises';
import { markVariable } from './watchdog.js';

/** Processes that carry a mark, wherever they have gone: `setsid` leaves a process group, but not the environment. Linux only. */
export async function findStrays(mark: string, platform: string): Promise<number[]> {
  if (platform !== 'linux') return [];
  const wanted = `${markVariable}=${mark}`;
  const entries = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const marked = await Promise.all(
    entries.map(async (pid) => {
      // Gone in the meantime, or somebody else's: not one of ours.
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(wanted);
    }),
  );
  return entries.filter((_, index) => marked[index]).map(Number);
}
