import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
  const npm = process.env.npm_execpath;
  // npm hands its settings on to the scripts it runs; some of them belong to the project alone.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  execFileSync(command, [...args, 'ci', '--no-ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limitMs,
  });
  writeFileSync(done, lock);
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}
