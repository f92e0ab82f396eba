import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Copies tracked files and untracked files that are not ignored, with uncommitted changes. */
export async function copyWorkTree(from, to) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await promisify(execFile)('git', list, { cwd: from, maxBuffer: 100_000_000 });
  for (const path of new Set(stdout.split('\0').filter((name) => name !== ''))) {
    // The list includes files whose deletion is not committed yet.
    await cp(join(from, path), join(to, path)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
