import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ServerConfig } from '../config/config.js';
import { sha256 } from '../platform/crypto.js';

const longestFile = 1_000_000;
const longestQueue = 256_000;
const longestName = 200;
// Lines are gathered for a moment: while servers start, there is more urgent work than files.
const gatherMs = 200;
const enoughToWrite = 64_000;

/** What a server wrote to stderr and what became of it, in a file of its own for the user to read. */
export interface ServerLog {
  write(line: string): void;
  /** Resolves when what was written so far is in the file. */
  flushed(): Promise<void>;
}

/**
 * Appends to `DIRECTORY/TOOLBOX/SERVER.log`; a full file becomes `SERVER.log.1`, and the one before is dropped. Lines
 * that come faster than they can be written are dropped too, and counted. Failing to write is no reason to fail.
 */
export function createServerLog(directory: string, server: Pick<ServerConfig, 'toolbox' | 'name'>): ServerLog {
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
    writing ??= flush();
  }

  async function flush(): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      while (queue.length > 0) await append();
    } catch {
      queue = [];
      queued = 0;
    } finally {
      // Here and not in a `then`: a line that is written meanwhile would wait for the next.
      writing = undefined;
    }
  }

  async function append(): Promise<void> {
    if (dropped > 0) queue.push(stamp(`${dropped} lines were dropped here: they came too fast`));
    const text = queue.join('');
    queue = [];
    queued = 0;
    dropped = 0;
    const size = await stat(file).then(
      (stats) => stats.size,
      () => 0,
    );
    if (size > 0 && size + text.length > longestFile) await rename(file, `${file}.1`);
    await appendFile(file, text, { mode: 0o600 });
  }

  return {
    write(line) {
      const text = stamp(line);
      if (queued + text.length > longestQueue) {
        dropped++;
        return;
      }
      queue.push(text);
      queued += text.length;
      if (queued > enoughToWrite) begin();
      else timer ??= setTimeout(begin, gatherMs).unref();
    },
    flushed() {
      if (queue.length > 0) begin();
      return writing ?? Promise.resolve();
    },
  };
}

function stamp(line: string): string {
  return `${new Date().toISOString()} ${line}\n`;
}

/** A name as a file name: percent-encoded, so that no name leads elsewhere or collides with another. */
export function fileNameOf(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /[.!'()*~]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (encoded.length <= longestName) return encoded;
  return `${encoded.slice(0, longestName - 20)}~${sha256(name).slice(0, 16)}`;
}
