/** A whole body, as long as it has no more bytes. `what`: the body, at the beginning of the error. */
export async function readUpTo(
  maxBytes: number,
  body: AsyncIterable<unknown> & { destroy(): unknown },
  what: string,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    if (!Buffer.isBuffer(part)) continue;
    bytes += part.length;
    if (bytes > maxBytes) {
      body.destroy();
      throw new Error(`${what} has more than ${maxBytes} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}
