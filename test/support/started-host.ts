import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../dist/host.js', import.meta.url));

/** A host as sessions start it, but with a module that is loaded first, and with more variables. */
export function startHostWith(
  module: URL,
  { hostName, home, env = {} }: { hostName: string; home: string; env?: Readonly<Record<string, string>> },
): ChildProcess {
  // It closes the pipe when it is ready.
  const child = spawn(process.execPath, ['--import', module.href, program, '3', '', hostName], {
    env: { PATH: process.env['PATH'], HOME: home, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}
