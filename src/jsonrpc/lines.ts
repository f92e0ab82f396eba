import { createIdScanner } from './id-scanner.js';
import type { RequestId } from './messages.js';

const newline = 0x0a;

export interface LineSink {
  /** One line without its terminator, never empty. */
  line(line: Buffer): void;
  /** A line over the limit was skipped. `id` is its JSON-RPC id, if it has one. */
  tooLong(bytes: number, id: RequestId | undefined): void;
}

/**
 * Splits a byte stream into lines. Chunks are kept in a list and joined once per line, so that time is linear in
 * the size of a line; a line over `maxBytes` is skipped and never held in memory.
 */
export function createLineReader(maxBytes: number, sink: LineSink): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let skipped: { bytes: number; scan: ReturnType<typeof createIdScanner> } | undefined;

  function append(part: Buffer): void {
    if (skipped !== undefined) {
      skipped.bytes += part.length;
      skipped.scan.feed(part);
      return;
    }
    parts.push(part);
    held += part.length;
    if (held <= maxBytes) return;
    skipped = { bytes: held, scan: createIdScanner() };
    for (const piece of parts) skipped.scan.feed(piece);
    parts = [];
    held = 0;
  }

  function finish(): void {
    if (skipped !== undefined) {
      const { bytes, scan } = skipped;
      skipped = undefined;
      sink.tooLong(bytes, scan.id());
      return;
    }
    const line = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, held);
    parts = [];
    held = 0;
    if (line.length > 0 && !(line.length === 1 && line[0] === 0x0d)) sink.line(line);
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      append(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) append(chunk.subarray(start));
  };
}
