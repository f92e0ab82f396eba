import { isRequestId, type RequestId } from './messages.js';

const quote = 0x22;
const backslash = 0x5c;
const longestToken = 256;

/**
 * Finds the `id` of a JSON-RPC message in a stream of bytes, anywhere in the message, without buffering it.
 * Only keys of the outermost object count, so that a nested `id` is not mistaken for it.
 */
export function createIdScanner(): { feed(bytes: Buffer): void; id(): RequestId | undefined; isRequest(): boolean } {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let key = '';
  let token: number[] = [];
  let readingValue = false;
  let found: RequestId | undefined;
  let hasMethod = false;

  function keep(byte: number): void {
    if (depth === 1 && token.length < longestToken) token.push(byte);
  }

  function endValue(): void {
    if (key === 'id' && readingValue && found === undefined) found = asId(Buffer.from(token).toString('utf8'));
    readingValue = false;
    token = [];
  }

  function step(byte: number): void {
    if (inString) {
      keep(byte);
      if (escaped) escaped = false;
      else if (byte === backslash) escaped = true;
      else if (byte === quote) inString = false;
      return;
    }
    switch (byte) {
      case quote:
        inString = true;
        keep(byte);
        return;
      case 0x3a: // :
        if (depth !== 1) return;
        key = Buffer.from(token).toString('utf8').trim().replace(/^"|"$/g, '');
        if (key === 'method') hasMethod = true;
        token = [];
        readingValue = true;
        return;
      case 0x2c: // ,
        if (depth === 1) endValue();
        return;
      case 0x7b: // {
      case 0x5b: // [
        depth++;
        return;
      case 0x7d: // }
      case 0x5d: // ]
        if (depth === 1) endValue();
        depth--;
        return;
      default:
        keep(byte);
    }
  }

  return {
    feed(bytes) {
      // Not with an iterator, which takes several times as long.
      for (let at = 0; at < bytes.length; at++) {
        // Most of a large message is in strings of inner objects, of which nothing is kept.
        if (inString && !escaped && depth > 1) {
          while (at < bytes.length && bytes[at] !== quote && bytes[at] !== backslash) at++;
          if (at === bytes.length) return;
        }
        step(bytes[at] ?? 0);
      }
    },
    id: () => found,
    isRequest: () => hasMethod,
  };
}

function asId(text: string): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRequestId(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
