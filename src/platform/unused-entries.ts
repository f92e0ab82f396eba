import { readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';

/** A server that was not started for so long is probably no longer configured. */
export const unusedAfterMs = 90 * 24 * 3_600_000;

/** Never fails: a cache that cannot be written to does not keep servers from starting. */
export async function markUsed(entry: string): Promise<void> {
  const now = new Date();
  await utimes(entry, now, now).catch(() => {});
}

/** Removes the files and directories in `parent` that are meant and were not used for so long. Never fails. */
export async function removeUnused(parent: string, afterMs: number, isMeant: (name: string) => boolean): Promise<void> {
  for (const name of (await readdir(parent).catch(() => [])).filter(isMeant)) {
    const entry = path.join(parent, name);
    const { mtimeMs } = await stat(entry).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > afterMs) await rm(entry, { recursive: true, force: true }).catch(() => {});
  }
}
