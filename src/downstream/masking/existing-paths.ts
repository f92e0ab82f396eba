import { stat } from 'node:fs/promises';
import path from 'node:path';
import { settlesWithin } from '../../platform/time-limit.js';

const limitMs = 500;
const longestPath = 4_096;

/** The values that are paths, or lists of paths, that exist. */
export type FindExisting = (values: readonly string[], cwd: string) => Promise<ReadonlySet<string>>;

export function createFindExisting(home: string): FindExisting {
  // One at a time: a file system that does not respond blocks only one thread of Node's pool.
  let last = Promise.resolve();

  async function exists(value: string, cwd: string): Promise<boolean> {
    for (const part of value.split(path.delimiter)) {
      const file = path.resolve(
        cwd,
        part.replace(/^~(?=[/\\]|$)/, () => home),
      );
      if (part === '' || (await stat(file).catch(() => undefined)) === undefined) return false;
    }
    return true;
  }

  return async (values, cwd) => {
    const existing = new Set<string>();
    const candidates = values.filter((value) => /[/\\]/.test(value) && value.length <= longestPath);
    if (candidates.length === 0) return existing;
    const search = last.then(async () => {
      for (const value of candidates) if (await exists(value, cwd)) existing.add(value);
    });
    last = search;
    await settlesWithin(limitMs, search);
    return new Set(existing);
  };
}
