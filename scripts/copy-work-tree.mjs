import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Copies the files that git knows or would add, with the changes that are not committed. */
export async function copyWorkTree(from, to) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await promisify(execFile)('git', list, { cwd: from, maxBuffer: 100_000_000 });
  for (const path of new Set(stdout.split('\0').filter((name) => name !== ''))) {
    // A file that was deleted but not yet committed as such is in the list.
    await cp(join(from, path), join(to, path)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
