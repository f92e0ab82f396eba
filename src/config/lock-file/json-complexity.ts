import { excess, JsonCursor, unlimited } from '../../jsonrpc/json-cursor.js';
import { maxLockParts, maxMessageDepth } from '../../limits.js';

const limits = { levels: 0, longStrings: unlimited, maxDepth: maxMessageDepth, maxParts: maxLockParts };

/** Whether a JSON text can be parsed without taking long, and walked without running out of stack. */
export function isParsable(bytes: Buffer): boolean {
  const cursor = new JsonCursor(limits);
  cursor.feed(bytes);
  for (let sign = cursor.next(); sign !== 0; sign = cursor.next()) if (sign === excess) return false;
  return true;
}
