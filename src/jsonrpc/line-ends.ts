// JSON allows these inside of strings, but some clients end lines there: Node.js since 24, Java's Scanner, Swift. A server could
// then write what such a client reads as a message of ours.
const separators = ['\u2028', '\u2029', '\u0085'] as const;
const escapes = { '\u2028': '\\u2028', '\u2029': '\\u2029', '\u0085': '\\u0085' };

/** A message as JSON on one line, wherever the receiver ends lines. Throws if `maxBytes` is too little for the escapes in it. */
export function lineOf(message: unknown, maxBytes = Number.POSITIVE_INFINITY): string {
  let line = JSON.stringify(message);
  if (!separators.some((separator) => line.includes(separator))) return line;
  // Before escaping, which takes long if there are millions.
  checkBytes(line.length + 5 * countSeparators(line), maxBytes);
  for (const separator of separators) {
    // Several times as fast as `replaceAll` if there are millions.
    if (line.includes(separator)) line = line.split(separator).join(escapes[separator]);
  }
  return line;
}

/** Throws if a message to the agent is too large. */
export function checkBytes(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new Error(`${bytes} bytes are over the limit ${maxBytes} (maxResultBytes)`);
}

function countSeparators(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x85 || code === 0x2028 || code === 0x2029) count++;
  }
  return count;
}

/** Whether well-formed JSON contains one of them. */
export function hasSeparator(bytes: Buffer): boolean {
  return separators.some((separator) => bytes.includes(separator));
}
