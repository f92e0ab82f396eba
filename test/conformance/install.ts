import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeForSuite } from './suite.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const mostMs = 300_000;

/** The suite and the Node.js it runs on are installed when they are wanted, not with the project. */
export default function install(): void {
  if (isInstalled()) return;
  const npm = process.env['npm_execpath'];
  // npm hands its settings on to the scripts it runs; some of them belong to the project alone.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
  const [command, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  execFileSync(command, [...args, 'ci', '--no-ignore-scripts'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: mostMs,
  });
}

function isInstalled(): boolean {
  if (!existsSync(nodeForSuite)) return false;
  const { dependencies } = readJson('package.json');
  return Object.entries(dependencies).every(([name, version]) => {
    const manifest = join('node_modules', name, 'package.json');
    return existsSync(join(folder, manifest)) && readJson(manifest).version === version;
  });
}

function readJson(path: string) {
  return JSON.parse(readFileSync(join(folder, path), 'utf8'));
}
