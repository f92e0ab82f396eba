import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { shellQuote } from '../../src/text/shell-quote.js';
import { type LaunchOptions, prepareLaunch } from './launch.js';
import { expectNoProcessLeft } from './processes.js';
import { until } from './until.js';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the built program to its end, without a terminal. No process that it started may be left. */
export async function runCommand(
  args: readonly string[],
  { stdin = '', ...options }: LaunchOptions & { readonly stdin?: string } = {},
): Promise<Finished> {
  const launch = prepareLaunch({ ...options, args });
  const child = spawn(launch.command, launch.args, {
    env: launch.env,
    cwd: launch.cwd,
    stdio: 'pipe',
  });
  child.stdin.on('error', () => {}).end(stdin);
  const stdout: string[] = [];
  const stderr: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => stdout.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
  const [code] = await once(child, 'close');
  await expectNoProcessLeft(launch.marker);
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

/** A command on a terminal of its own, made by `script` of util-linux. */
export interface OnTerminal {
  screen(): string;
  type(keys: string): void;
  readonly exited: Promise<number | null>;
}

export function runOnTerminal(
  args: readonly string[],
  { columns = 80, ...options }: LaunchOptions & { readonly columns?: number } = {},
): OnTerminal & { readonly marker: string } {
  const { command, args: all, env, cwd, marker } = prepareLaunch({ ...options, args });
  return { ...openTerminal([command, ...all], { env: { LANG: 'C.UTF-8', ...env }, cwd, columns }), marker };
}

/** Any program on a terminal of its own. */
export function openTerminal(
  commandLine: readonly string[],
  { env, cwd, columns }: { env: Readonly<Record<string, string>>; cwd: string; columns: number },
): OnTerminal {
  const line = `stty cols ${columns} rows 24; exec ${commandLine.map(shellQuote).join(' ')}`;
  const all = { ...env, SHELL: '/bin/sh', TERM: 'xterm' };
  const child = spawn('script', ['-qefc', line, '/dev/null'], { env: all, cwd, stdio: 'pipe' });
  const shown: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => shown.push(text));
  child.stdin.on('error', () => {});
  return {
    screen: () => shown.join(''),
    type: (keys) => void child.stdin.write(keys),
    exited: once(child, 'close').then(([code]) => code),
  };
}

/** Waits for the question of a command, types the answer, and waits for its end. */
export async function answerOn(terminal: OnTerminal, keys: string): Promise<number | null> {
  await until(() => /\[y\/N\]|\[Y\/n\]/.test(terminal.screen()), { what: 'the question' });
  terminal.type(keys);
  return terminal.exited;
}
