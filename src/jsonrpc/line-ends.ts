import { maxLineSeparators } from '../limits.js';

// JSON allows these inside of strings, but some clients end lines there: Node.js since 24, Java's Scanner, Swift. A server could
// then write what such a client reads as a message of ours.
const escapes = [
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
  ['\u0085', '\\u0085'],
] as const;

/** A message as JSON on one line, wherever the receiver ends lines. Throws if it has too many separators. */
export function lineOf(message: unknown): string {
  let line = JSON.stringify(message);
  for (const [separator, escape] of escapes) {
    if (!line.includes(separator)) continue;
    checkCount(line, separator);
    line = line.split(separator).join(escape);
  }
  return line;
}

/** Whether well-formed JSON contains one of them. */
export function hasSeparator(bytes: Buffer): boolean {
  return escapes.some(([separator]) => bytes.includes(separator));
}

function checkCount(line: string, separator: string): void {
  let count = 0;
  for (let at = line.indexOf(separator); at !== -1; at = line.indexOf(separator, at + 1)) {
    if (++count > maxLineSeparators) throw new Error(`it has over ${maxLineSeparators} line separators`);
  }
}
