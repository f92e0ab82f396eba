import { createIdScanner } from './id-scanner.js';
import type { RequestId } from './messages.js';

const newline = 0x0a;

export interface LineSink {
  /** One line without its terminator, never empty. */
  line(line: Buffer): void;
  /** A line over the limit was skipped. `id` and `method`: those of the JSON-RPC message, if it has them; `start`: see `keepsStart`. */
  tooLong(bytes: number, id: RequestId | undefined, method: string | undefined, start?: Buffer): void;
  /** Whether the first bytes of such a line, up to the limit, are of use. */
  keepsStart?(): boolean;
  /** The limit at this moment, if it may be larger. Asked for long lines only. */
  maxBytes?(): number;
}

/** Reads a chunk, to its end or until `isOver` after a line. Returns how much of it was read. */
export type ReadLines = (chunk: Buffer, isOver?: () => boolean) => number;

/**
 * Splits a byte stream into lines. Chunks are kept in a list and joined once per line, so that time is linear in
 * the size of a line; a line over `maxBytes` is skipped and never held in memory.
 */
export function createLineReader(maxBytes: number, sink: LineSink): ReadLines {
  let parts: Buffer[] = [];
  let held = 0;
  let skipped: { bytes: number; scan: ReturnType<typeof createIdScanner>; start: Buffer | undefined } | undefined;

  function append(part: Buffer): void {
    if (skipped !== undefined) {
      skipped.bytes += part.length;
      skipped.scan.feed(part);
      return;
    }
    parts.push(part);
    held += part.length;
    if (held <= maxBytes || held <= (sink.maxBytes?.() ?? 0)) return;
    const start = sink.keepsStart?.() === true ? Buffer.concat(parts, held - part.length) : undefined;
    skipped = { bytes: held, scan: createIdScanner(), start };
    for (const piece of parts) skipped.scan.feed(piece);
    parts = [];
    held = 0;
  }

  function finish(): void {
    if (skipped !== undefined) {
      const { bytes, scan, start } = skipped;
      skipped = undefined;
      sink.tooLong(bytes, scan.id(), scan.method(), start);
      return;
    }
    const line = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, held);
    parts = [];
    held = 0;
    deliver(line);
  }

  function deliver(line: Buffer): void {
    if (line.length > 0 && !(line.length === 1 && line[0] === 0x0d)) sink.line(line);
  }

  function endLine(part: Buffer): void {
    // Most lines come in one piece.
    if (held === 0 && skipped === undefined && part.length <= maxBytes) return deliver(part);
    append(part);
    finish();
  }

  return (chunk, isOver = never) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      endLine(chunk.subarray(start, end));
      start = end + 1;
      if (start < chunk.length && isOver()) return start;
    }
    if (start < chunk.length) append(chunk.subarray(start));
    return chunk.length;
  };
}

const never = () => false;
