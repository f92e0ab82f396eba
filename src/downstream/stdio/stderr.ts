import type { Readable } from 'node:stream';
import { longestStderrLine, maxStderrLinesPerSecond } from '../../limits.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import { readInSlices } from '../protocol/read-in-slices.js';
import { createRecentLines, maxCollectedBytes } from './recent-lines.js';

const newline = 0x0a;
const secondMs = 1_000;

/** The stderr output of a server: read soon so that the server never blocks, with secrets masked, in bounded memory. */
export interface Stderr {
  /** The last lines, including an incomplete one, with their indentation. */
  lastLines(): readonly string[];
  /** Resolves when all of it has been read. */
  readonly ended: Promise<void>;
}

export function readStderr(
  stream: Readable,
  mask: (text: string, isCut?: boolean) => string,
  onLine: (line: string) => void,
): Stderr {
  const recent = createRecentLines(mask);
  let parts: Buffer[] = [];
  let held = 0;
  let dropping = false;
  let second = { since: 0, lines: 0 };

  // Masked last: a secret may be written with invisible characters inside.
  const clean = (line: Buffer) =>
    shorten(mask(printableLine(line.toString('utf8')), line.length >= maxCollectedBytes), longestStderrLine);

  function emit(): void {
    const line = Buffer.concat(parts);
    parts = [];
    held = 0;
    if (isBlank(line)) return;
    recent.add(line);
    log(line);
  }

  function log(line: Buffer): void {
    const now = performance.now();
    if (now - second.since > secondMs) {
      const omitted = second.lines - maxStderrLinesPerSecond;
      if (omitted > 0) onLine(`… ${omitted} lines left out`);
      second = { since: now, lines: 0 };
    }
    second.lines++;
    if (second.lines > maxStderrLinesPerSecond) return;
    const text = clean(line);
    if (text !== '') onLine(text);
  }

  function hold(part: Buffer): void {
    if (dropping || part.length === 0) return;
    parts.push(part.subarray(0, maxCollectedBytes - held));
    held += part.length;
    if (held < maxCollectedBytes) return;
    emit();
    dropping = true;
  }

  const { ended } = readInSlices(stream, (chunk, isOver) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      hold(chunk.subarray(start, end));
      if (!dropping) emit();
      dropping = false;
      start = end + 1;
      if (isOver()) return start;
    }
    hold(chunk.subarray(start));
    return chunk.length;
  });
  stream.on('error', () => {});
  return {
    ended,
    lastLines: () => recent.lines(Buffer.concat(parts)),
  };
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte <= 0x20);
}
