// JSON allows these inside of strings, but some clients end lines there: Node.js since 24, Java's Scanner, Swift. A server could
// then write what such a client reads as a message of ours.
const separators = ['2028', '2029', '0085'].map(
  (code) => [String.fromCharCode(Number(`0x${code}`)), `\\u${code}`] as const,
);

/** A message as JSON on one line, wherever the receiver ends lines. */
export function lineOf(message: unknown): string {
  let line = JSON.stringify(message);
  for (const [separator, escape] of separators) {
    // Several times as fast as `replaceAll` if there are millions.
    if (line.includes(separator)) line = line.split(separator).join(escape);
  }
  return line;
}

/** Whether well-formed JSON contains one of them. */
export function hasSeparator(bytes: Buffer): boolean {
  return separators.some(([separator]) => bytes.includes(separator));
}
