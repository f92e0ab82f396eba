import {
  closingBrace,
  closingBracket,
  colon,
  comma,
  JsonCursor,
  openingBrace,
  openingBracket,
  unlimited,
} from './json-cursor.js';
import { isRequestId, type RequestId } from './messages.js';

const longestToken = 256;
const limits = { levels: 2, longStrings: unlimited, maxDepth: unlimited, maxParts: unlimited };

interface IdScanner {
  feed(bytes: Buffer): void;
  id(): RequestId | undefined;
  /** Undefined if there is none. */
  method(): string | undefined;
}

/**
 * Finds the `id` and the `method` of a JSON-RPC message in a stream of bytes, anywhere in the message, without buffering it.
 * Only keys of the outermost object count, so that a nested `id` is not mistaken for it.
 */
export function createIdScanner(): IdScanner {
  const cursor = new JsonCursor(limits);
  let key = '';
  /** What stands between two signs of the outermost object, as Latin-1. */
  let token = '';
  let readingValue = false;
  let found: RequestId | undefined;
  let method: string | undefined;

  function endKey(): void {
    key = token.trim().replace(/^"|"$/g, '');
    if (key === 'method') method = '';
    readingValue = true;
    token = '';
  }

  function endValue(): void {
    if (key === 'id' && readingValue && found === undefined) found = asId(token);
    if (key === 'method' && readingValue) method = token.trim().replace(/^"|"$/g, '');
    readingValue = false;
    token = '';
  }

  return {
    feed(bytes) {
      cursor.feed(bytes);
      let from = 0;
      const keep = (end: number) => {
        const room = longestToken - token.length;
        if (room > 0) token += bytes.toString('latin1', from, Math.min(end, from + room));
        from = end + 1;
      };
      for (let sign = cursor.next(); sign !== 0; sign = cursor.next()) {
        const { at, depth } = cursor;
        switch (sign) {
          case colon:
            if (depth !== 1) break;
            keep(at);
            endKey();
            break;
          case comma:
            if (depth !== 1) break;
            keep(at);
            endValue();
            break;
          case openingBrace:
          case openingBracket:
            if (depth === 2) keep(at);
            else from = at + 1;
            break;
          case closingBrace:
          case closingBracket:
            if (depth === 0) {
              keep(at);
              endValue();
            } else from = at + 1;
            break;
          default:
        }
      }
      if (cursor.depth === 1) keep(bytes.length);
    },
    id: () => found,
    method: () => method,
  };
}

function asId(token: string): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'latin1').toString('utf8'));
    return isRequestId(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
