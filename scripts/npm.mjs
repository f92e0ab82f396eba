import { execFile, execFileSync } from 'node:child_process';

/**
 * npm as from a terminal. npm passes its settings to the scripts it runs, and some apply only to the outer command:
 * its directories, its destinations.
 */
function npmWith(args, options) {
  const npm = process.env.npm_execpath;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  // On Windows npm is a `.cmd` file, which needs a shell.
  const shell = npm === undefined && process.platform === 'win32';
  return [command, [...first, ...args], { env, shell, encoding: 'utf8', ...options }];
}

/** Runs it to its end. Throws if it fails. */
export function runNpm(args, { cwd, timeout, stdio = ['ignore', 'inherit', 'inherit'] }) {
  return execFileSync(...npmWith(args, { cwd, timeout, stdio }));
}

/** What it prints, and whether it succeeds. */
export function outputOfNpm(args, { cwd }) {
  return new Promise((resolve) => {
    const [command, words, options] = npmWith(args, { cwd, maxBuffer: 64 * 1_048_576 });
    execFile(command, words, options, (error, stdout, stderr) => resolve({ text: `${stdout}${stderr}`, isOk: !error }));
  });
}
