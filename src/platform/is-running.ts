import { readFileSync } from 'node:fs';

/** Whether a process of this user runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // Not permitted: it belongs to another user, so it is another process by now.
    return false;
  }
  try {
    // One that has ended and that its parent has not taken note of; in a container that may never happen.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return true;
  }
}
