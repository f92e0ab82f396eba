import { spawn } from 'node:child_process';

/** Sends a signal to a process and everything in its group. That it is gone already is no error. */
export async function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL', platform: string): Promise<void> {
  if (platform === 'win32') return endTree(pid);
  try {
    process.kill(-pid, signal);
  } catch {
    // ESRCH: nobody is left to be told.
  }
}

export function isGroupAlive(pid: number, platform: string): boolean {
  try {
    process.kill(platform === 'win32' ? pid : -pid, 0);
    return true;
  } catch {
    return false;
  }
}

// Windows has neither groups nor SIGTERM for them; taskkill walks the tree.
function endTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const taskkill = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    taskkill.once('error', () => resolve());
    taskkill.once('exit', () => resolve());
  });
}
