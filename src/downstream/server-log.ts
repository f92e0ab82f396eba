import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ServerConfig } from '../config/config.js';
import { maxServerLogBytes, maxServerLogQueue } from '../limits.js';
import { sha256 } from '../platform/crypto.js';
import { printableLine } from '../text/printable.js';

const longestName = 200;
// Lines are collected for a moment: writing can wait while servers start.
const gatherMs = 200;
const enoughToWrite = 64_000;

export type ServerName = Pick<ServerConfig, 'toolbox' | 'name'>;

/** The stderr output of one server and the events of its connections, in a file for the user to read. */
export interface ServerLog {
  /** Undefined if nothing is written. */
  readonly file: string | undefined;
  /** An event, in our words. */
  write(text: string): void;
  /** A line that the server wrote. It is marked, so that it cannot imitate one of ours. */
  output(line: string): void;
  /** Resolves when everything written so far is in the file, or has failed to be written. */
  flush(): Promise<void>;
}

export const silentServerLog: ServerLog = {
  file: undefined,
  write: () => {},
  output: () => {},
  flush: async () => {},
};

/**
 * Appends to `DIRECTORY/TOOLBOX/SERVER.log`; a full file becomes `SERVER.log.1`, and the one before it is deleted. Lines
 * that arrive faster than they can be written are dropped and counted. A log that cannot be written never fails anything
 * else. `inTurn` runs the file operations, one log after the other.
 */
export function createServerLog(
  directory: string,
  server: ServerName,
  inTurn: (work: () => Promise<void>) => Promise<void>,
): ServerLog {
  const folder = path.join(directory, fileNameOf(server.toolbox));
  const file = path.join(folder, `${fileNameOf(server.name)}.log`);
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
      await mkdir(folder, { recursive: true, mode: 0o700 });
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

  function add(line: string): void {
    const text = stamp(line);
    if (queued + text.length > maxServerLogQueue) {
      dropped++;
      return;
    }
    queue.push(text);
    queued += text.length;
    if (queued > enoughToWrite) begin();
    else timer ??= setTimeout(begin, gatherMs).unref();
  }

  return {
    file,
    write: add,
    output: (line) => add(`| ${line}`),
    flush() {
      if (queue.length > 0) begin();
      return writing ?? Promise.resolve();
    },
  };
}

function stamp(line: string): string {
  return `${new Date().toISOString()} ${printableLine(line)}\n`;
}

/** A name as a file name: percent-encoded, so that no name leads to another directory or collides with another. */
export function fileNameOf(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /[.!'()*~]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (encoded.length <= longestName) return encoded;
  return `${encoded.slice(0, longestName - 20)}~${sha256(name).slice(0, 16)}`;
}
