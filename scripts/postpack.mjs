// Runs after `npm pack`. The package.json in the tarball is for users: without the scripts and packages of development, which
// are not in it. The tarball is rewritten, never the work tree: a pack that is interrupted leaves nothing behind there.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from './npm.mjs';

const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'));
const destination = resolve(process.env.INIT_CWD ?? '.', process.env.npm_config_pack_destination ?? '.');
const tarball = join(destination, `${manifest.name}-${manifest.version}.tgz`);

// There is none after `npm pack --dry-run`.
if (existsSync(tarball)) {
  const work = mkdtempSync(join(tmpdir(), 'mcp-workbench-pack-'));
  try {
    // Names, not paths: to some versions of tar a path with a colon is one on another host.
    copyFileSync(tarball, join(work, 'full.tgz'));
    execFileSync('tar', ['-xzf', 'full.tgz'], { cwd: work });
    const file = join(work, 'package', 'package.json');
    const { scripts: _, devDependencies: __, ...forUsers } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, `${JSON.stringify(forUsers, undefined, 2)}\n`);
    const pack = ['pack', '--json', '--pack-destination', work];
    const report = runNpm(pack, { cwd: join(work, 'package'), stdio: ['ignore', 'pipe', 'inherit'] });
    // A list in some versions of npm, an object in others.
    const [{ filename }] = Object.values(JSON.parse(report));
    copyFileSync(join(work, filename), `${tarball}.new`);
    renameSync(`${tarball}.new`, tarball);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
