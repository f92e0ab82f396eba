import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

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

export async function isGroupAlive(pid: number, platform: string): Promise<boolean> {
  if (!sendSignal(platform === 'win32' ? pid : -pid, 0)) return false;
  return platform !== 'linux' || hasLivingMember(pid);
}

/** A zombie still counts as a member, and where nobody reaps them it does so for ever; only /proc tells the difference. */
async function hasLivingMember(group: number): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const living = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
      // After the name, which may hold anything: state, parent, group.
      const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return member === String(group) && state !== 'Z';
    }),
  );
  return living.includes(true);
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
