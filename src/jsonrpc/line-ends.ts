// JSON allows these inside of strings, but some clients end lines there: Node.js since 24, Java's Scanner, Swift. A server could
// then write what such a client reads as a message of ours.
const separators = /[\u2028\u2029\u0085]/g;

/** A message as JSON on one line, wherever the receiver ends lines. */
export function lineOf(message: unknown): string {
  return JSON.stringify(message).replace(
    separators,
    (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whether well-formed JSON contains one of them. */
export function hasSeparator(bytes: Buffer): boolean {
  return bytes.includes('\u2028') || bytes.includes('\u2029') || bytes.includes('\u0085');
}
