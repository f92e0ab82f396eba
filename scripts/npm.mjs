import { execFileSync } from 'node:child_process';

/**
 * Runs npm as from a terminal. npm passes its settings to the scripts it runs, and some apply only to the outer command:
 * its directories, its destinations.
 */
export function runNpm(args, { cwd, timeout, stdio = ['ignore', 'inherit', 'inherit'] }) {
  const npm = process.env.npm_execpath;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  // On Windows npm is a `.cmd` file, which needs a shell.
  const shell = npm === undefined && process.platform === 'win32';
  return execFileSync(command, [...first, ...args], { cwd, env, stdio, timeout, shell, encoding: 'utf8' });
}
