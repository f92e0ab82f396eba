// Runs after `npm pack`. Removes development scripts and dependencies from the package.json in the tarball, which does not
// contain them. Rewrites the tarball, never the work tree, so that an interrupted pack changes nothing there.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNpm } from './npm.mjs';

const manifest = JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'));
const destination = resolve(process.env.INIT_CWD ?? '.', process.env.npm_config_pack_destination ?? '.');
const tarball = join(destination, `${manifest.name}-${manifest.version}.tgz`);

// `npm pack --dry-run` writes none.
if (existsSync(tarball)) {
  const work = mkdtempSync(join(tmpdir(), 'mcp-workbench-pack-'));
  try {
    // Names, not paths: some versions of tar read a path with a colon as a path on another host.
    copyFileSync(tarball, join(work, 'full.tgz'));
    execFileSync('tar', ['-xzf', 'full.tgz'], { cwd: work });
    const file = join(work, 'package', 'package.json');
    const { scripts: _, devDependencies: __, ...forUsers } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, `${JSON.stringify(forUsers, undefined, 2)}\n`);
    const pack = ['pack', '--json', '--pack-destination', work];
    const report = runNpm(pack, { cwd: join(work, 'package'), stdio: ['ignore', 'pipe', 'inherit'] });
    // An array in some versions of npm, an object in others.
    const [{ filename }] = Object.values(JSON.parse(report));
    copyFileSync(join(work, filename), `${tarball}.new`);
    renameSync(`${tarball}.new`, tarball);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
