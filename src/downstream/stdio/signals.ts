/** Sends a signal to a process, or with a negative number to its whole group. Returns whether there was one to send it to. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
