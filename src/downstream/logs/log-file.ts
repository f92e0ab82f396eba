import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { maxServerLogBytes, maxServerLogQueue } from '../../limits.js';
import { printableLine } from '../../text/printable.js';

// Lines are collected for a moment: writing can wait while servers start.
const gatherMs = 200;
const enoughToWrite = 64_000;

/** A log in a file. */
export interface LogFile {
  /** A line, with the time before it. */
  readonly add: (line: string) => void;
  /** Resolves when everything written so far is in the file, or has failed to be written. */
  readonly flush: () => Promise<void>;
}

/**
 * Appends to a file; a full one becomes `FILE.1`, and the one before it is deleted. Lines that arrive faster than they can be
 * written are dropped and counted. A log that cannot be written never fails anything else. `inTurn` runs the file operations.
 */
export function createLogFile(file: string, inTurn: (work: () => Promise<void>) => Promise<void>): LogFile {
  let queue: string[] = [];
  let queued = 0;
  let dropped = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    writing ??= inTurn(drain);
  }

  async function drain(): Promise<void> {
    try {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      while (queue.length > 0) await append();
    } catch {
      queue = [];
      queued = 0;
    } finally {
      // Here and not in a `then`: a line written in between would not be picked up.
      writing = undefined;
    }
  }

  async function append(): Promise<void> {
    if (dropped > 0) queue.push(stamp(`dropped ${dropped} lines: they arrived faster than they could be written`));
    const text = queue.join('');
    queue = [];
    queued = 0;
    dropped = 0;
    const found = await stat(file).catch(() => undefined);
    // Opening a FIFO would block a thread until another process reads it.
    if (found?.isFile() === false) throw new Error('not a regular file');
    if (found !== undefined && found.size > 0 && found.size + text.length > maxServerLogBytes)
      await rename(file, `${file}.1`);
    await appendFile(file, text, { mode: 0o600 });
  }

  return {
    add(line) {
      const text = stamp(line);
      if (queued + text.length > maxServerLogQueue) {
        dropped++;
        return;
      }
      queue.push(text);
      queued += text.length;
      if (queued > enoughToWrite) begin();
      else timer ??= setTimeout(begin, gatherMs).unref();
    },
    flush() {
      if (queue.length > 0) begin();
      return writing ?? Promise.resolve();
    },
  };
}

function stamp(line: string): string {
  return `${new Date().toISOString()} ${printableLine(line)}\n`;
}
