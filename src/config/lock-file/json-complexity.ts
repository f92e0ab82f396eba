import { maxMessageDepth, maxMessageParts } from '../../limits.js';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Whether a JSON text can be parsed without taking long, and walked without running out of stack. */
export function isParsable(bytes: Uint8Array): boolean {
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfString(bytes, at + 1);
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth++;
        parts++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case comma:
        parts++;
        break;
      default:
    }
    if (depth > maxMessageDepth || parts > maxMessageParts) return false;
  }
  return true;
}

function endOfString(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
