import { excess, JsonCursor, unlimited } from '../jsonrpc/json-cursor.js';
import { longestAgentMessage, maxMessageDepth, maxMessageParts } from '../limits.js';

const limits = { levels: 0, longStrings: unlimited, maxDepth: maxMessageDepth, maxParts: maxMessageParts };
const [openingBrace, openingBracket] = [0x7b, 0x5b];
/** Up to here it takes no longer to read a message as a whole than to count its brackets. */
const shortBytes = 4_096;

/**
 * Why a message of the agent is refused, as in "it is nested deeper than …"; undefined if it is not. Checked before it is parsed, and before it is sent to a host, where it
 * would keep all sessions waiting.
 */
export function excessIn(line: Buffer): string | undefined {
  if (line.length > longestAgentMessage) return excessBytes(line.length);
  if (!mayBeDeep(line) && line.length <= maxMessageParts) return undefined;
  const cursor = new JsonCursor(limits);
  cursor.feed(line);
  if (cursor.next() !== excess) return undefined;
  return cursor.depth > maxMessageDepth
    ? `is nested deeper than the limit of ${maxMessageDepth} levels`
    : `has ${line.length} bytes and more than the limit of ${maxMessageParts} values`;
}

export function excessBytes(bytes: number): string {
  return `has ${bytes} bytes, the limit is ${longestAgentMessage}`;
}

/** Every level has an opening bracket. Long messages are mostly one text, which has few of them. */
function mayBeDeep(line: Buffer): boolean {
  if (line.length <= shortBytes) return line.length > 2 * maxMessageDepth;
  let left = maxMessageDepth;
  for (const bracket of [openingBrace, openingBracket])
    for (let at = line.indexOf(bracket); at !== -1; at = line.indexOf(bracket, at + 1)) if (left-- === 0) return true;
  return false;
}
