import { spawn } from 'node:child_process';

/** Sends a signal to a process, or with a negative number to its whole group. That it is gone already is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Sends a signal to a process and everything in its group. */
export async function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL', platform: string): Promise<void> {
  if (platform === 'win32') await runTaskkill(taskkillArguments(pid));
  else sendSignal(-pid, signal);
}

export function isGroupAlive(pid: number, platform: string): boolean {
  return sendSignal(platform === 'win32' ? pid : -pid, 0);
}

/** Windows has neither groups nor a SIGTERM for them: `/T` takes the tree, `/F` does not ask. */
export function taskkillArguments(pid: number): string[] {
  return ['/pid', String(pid), '/T', '/F'];
}

function runTaskkill(args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const taskkill = spawn('taskkill', args, { stdio: 'ignore', windowsHide: true });
    taskkill.once('error', () => resolve());
    taskkill.once('exit', () => resolve());
  });
}
