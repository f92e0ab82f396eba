import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './npm.mjs';

const limitMs = 600_000;

/**
 * Installs the packages of a folder's own lock file, unless they are installed already. For packages that only one command
 * needs, or that must not be installed with the project: npm would run its scripts with an installed `node`.
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
