import type { Readable } from 'node:stream';
import { resultWithin } from '../../platform/time-limit.js';

/** Error bodies are for people; more is not read. */
const mostBytes = 65_536;
const mostMs = 5_000;

/** The beginning of a body as text; empty if it breaks off. */
export async function textOf(body: Readable): Promise<string> {
  const read = async () => {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) continue;
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes >= mostBytes) break;
    }
    return Buffer.concat(parts).subarray(0, mostBytes).toString('utf8');
  };
  const text = await resultWithin(
    mostMs,
    read().catch(() => ''),
  );
  body.destroy();
  return text ?? '';
}

/** Reads an unneeded body, so that its connection can be used again. */
export function drain(body: Readable): void {
  void textOf(body);
}
