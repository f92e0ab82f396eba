// Runs after `npm install`. `npm install -g .` in a fresh clone links the folder without installing the build's dependencies, so they are installed first.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

if (!existsSync(join(root, 'node_modules', 'esbuild'))) {
  // npm passes its settings to the scripts it runs; `global` and `prefix` would install the packages elsewhere.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_config_(global|location|.*prefix)$/i.test(name)),
  );
  const npm = process.env.npm_execpath;
  if (!npm) throw new Error('Run `npm install` first.');
  execFileSync(process.execPath, [npm, 'ci', '--ignore-scripts'], { cwd: root, env, stdio: 'inherit' });
}
await import('./build.mjs');
