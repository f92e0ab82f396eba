import type { Writable } from 'node:stream';

/** Writes lines to a stream, batched per tick: under load, one system call writes many messages. */
export interface BatchWriter {
  /** A line, or its pieces. */
  write(line: string | readonly (string | Uint8Array)[]): void;
  /** Hands everything to the stream now, e.g. before it is ended. */
  flush(): void;
  /** Bytes (approximately, for strings) that have not been written yet. */
  readonly backlog: number;
}

export function createBatchWriter(stream: Writable): BatchWriter {
  let pending: (string | Uint8Array)[] = [];
  let text = '';
  let size = 0;

  function flush(): void {
    if (size === 0) return;
    const pieces = pending;
    const last = text;
    pending = [];
    text = '';
    size = 0;
    if (pieces.length === 0) {
      stream.write(last);
      return;
    }
    if (last !== '') pieces.push(last);
    stream.cork();
    // All as buffers: one system call writes them as they are, but strings among them are copied.
    for (const piece of pieces) stream.write(typeof piece === 'string' ? Buffer.from(piece) : piece);
    stream.uncork();
  }

  function add(piece: string | Uint8Array): void {
    size += piece.length;
    if (typeof piece === 'string') {
      text += piece;
      return;
    }
    if (text !== '') pending.push(text);
    pending.push(piece);
    text = '';
  }

  return {
    write(line) {
      if (size === 0) process.nextTick(flush);
      if (typeof line === 'string') add(line);
      else for (const piece of line) add(piece);
    },
    flush,
    get backlog() {
      return size + stream.writableLength;
    },
  };
}
