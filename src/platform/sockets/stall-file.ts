import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';

// A host whose event loop does not turn cannot answer. A thread of it writes into a file, beside its socket, how long that has lasted,
// again and again: so its sessions can tell a host that is busy from one that was stopped.

/** `socket`: the host's own, which has its process id in its name. */
export function stallFileOf(socket: string): string {
  return `${socket}.busy`;
}

/** Always as long, so that no reader gets a part of one and a part of the next. */
const digits = 12;

/** `isFirst`: the file is made. */
export function writeStall(file: string, ms: number, isFirst: boolean): void {
  const opened = openSync(file, isFirst ? 'w' : 'r+', 0o600);
  writeSync(opened, String(ms).padStart(digits, '0'), 0);
  closeSync(opened);
}

/** How many ms its event loop has not turned, as its thread last wrote; undefined if it turns, or if that is unknown. */
export function readStall(file: string): number | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length === digits ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

export function removeStall(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // There is mostly none.
  }
}
