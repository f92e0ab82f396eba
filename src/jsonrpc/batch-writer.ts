import type { Writable } from 'node:stream';

/** Writes lines to a stream, all of one turn at once: under load that is one system call for many messages. */
export interface BatchWriter {
  /** The pieces of one line. */
  write(pieces: readonly (string | Uint8Array)[]): void;
  /** Bytes, or about as many characters, that have not been handed to the system yet. */
  readonly backlog: number;
}

export function createBatchWriter(stream: Writable): BatchWriter {
  let gathered: (string | Uint8Array)[] = [];
  let text = '';
  let size = 0;

  function flush(): void {
    const pieces = gathered;
    const last = text;
    gathered = [];
    text = '';
    size = 0;
    if (pieces.length === 0) {
      stream.write(last);
      return;
    }
    if (last !== '') pieces.push(last);
    stream.cork();
    // All as bytes: a system call takes those as they are, but texts among them only as copies.
    for (const piece of pieces) stream.write(typeof piece === 'string' ? Buffer.from(piece) : piece);
    stream.uncork();
  }

  return {
    write(pieces) {
      if (size === 0) process.nextTick(flush);
      for (const piece of pieces) {
        size += piece.length;
        if (typeof piece === 'string') {
          text += piece;
          continue;
        }
        if (text !== '') gathered.push(text);
        gathered.push(piece);
        text = '';
      }
    },
    get backlog() {
      return size + stream.writableLength;
    },
  };
}
