import { fstatSync, writeSync } from 'node:fs';

/** Where output goes. */
export interface Stream {
  write(text: string): void;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** Whether the reader has left: nothing more is written then. */
  readonly isClosed: () => boolean;
}

/**
 * stdout or stderr. Node's own streams are loaded for terminals only: they take longer than most commands. A reader such as
 * `head` may leave at any time, and what is left to write is of no interest then. `fail` is called if writing is impossible.
 */
export function openStream(descriptor: 1 | 2, fail: (reason: string) => void): Stream {
  let isClosed = false;
  const failed = (error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    isClosed = true;
    if (code !== 'EPIPE') fail(code);
  };
  if (isPlain(descriptor)) {
    const write = (text: string) => {
      try {
        if (!isClosed) writeAll(descriptor, Buffer.from(text));
      } catch (error) {
        failed(error);
      }
    };
    return { write, isClosed: () => isClosed };
  }
  // Only when it is used: many commands never write to stderr.
  let opened: NodeJS.WriteStream | undefined;
  const stream = () => (opened ??= (descriptor === 1 ? process.stdout : process.stderr).on('error', failed));
  return {
    write: (text) => void (isClosed || stream().write(text)),
    get isTTY() {
      return stream().isTTY;
    },
    get columns() {
      return stream().columns;
    },
    isClosed: () => isClosed,
  };
}

function isPlain(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() || stats.isFIFO() || stats.isSocket();
  } catch {
    return false;
  }
}

/** Waits for a full pipe that another process has made non-blocking: there is no other way to write to it. */
function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPauseMs);
    }
  }
}

const fullPauseMs = 5;
