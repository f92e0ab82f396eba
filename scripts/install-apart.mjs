import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './npm.mjs';

const limitMs = 600_000;

/**
 * Installs what a folder's own lock file names, unless that is done already. For packages that only one command needs, or
 * that must not be among the project's: `node` there would run every script of it.
 */
export function installApart(folder) {
  const done = join(folder, 'node_modules', '.installed-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (readOr(done, '') === lock) return;
  runNpm(['ci', '--no-ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, timeout: limitMs });
  writeFileSync(done, lock);
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}
