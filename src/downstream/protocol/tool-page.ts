import { isRecord } from '../../jsonrpc/json.js';
import { isRequestId, type RequestId } from '../../jsonrpc/messages.js';
import { maxToolChars, maxTools } from '../../limits.js';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/** A page of this size is parsed at once: whatever is in it, that takes little time. */
export const minPageBytes = 65_536;

/** A page of `tools/list` whose tools are not parsed yet: parsing 8 MB of brackets takes seconds. */
export class ToolPage {
  /** The bytes of the first tools. */
  readonly tools: readonly Buffer[];
  /** How many tools came after them. */
  readonly others: number;
  readonly nextCursor: unknown;
  /** Whether only the start of it was read. */
  readonly isCut: boolean;

  constructor(tools: readonly Buffer[], others: number, nextCursor: unknown, isCut = false) {
    this.tools = tools;
    this.others = others;
    this.nextCursor = nextCursor;
    this.isCut = isCut;
  }
}

/** The tools in the first bytes of a response to `tools/list` that is too large. Undefined if there is none. */
export function readPageStart(start: Buffer): ToolPage | undefined {
  const { elements, others } = split(start);
  return elements.length === 0 ? undefined : new ToolPage(elements, others, undefined, true);
}

/** Reads a large response to `tools/list`: its page, if it is usable. Undefined if it is another message. */
export function readToolPage(
  line: Buffer,
  isListing: (id: RequestId) => boolean,
): { readonly id: RequestId; readonly page: ToolPage | undefined } | undefined {
  const { elements, others, rest, id: idText } = split(line);
  const id = parsed(idText);
  if (!isRequestId(id) || !isListing(id)) return undefined;
  const message = rest.length > maxToolChars ? undefined : parsed(rest);
  const result = isRecord(message) ? message['result'] : undefined;
  return { id, page: isRecord(result) ? new ToolPage(elements, others, result['nextCursor']) : undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Split {
  /** The elements of the array at `result.tools`. */
  readonly elements: readonly Buffer[];
  readonly others: number;
  /** The text without them; at most a little more than the limit. */
  readonly rest: string;
  /** The text of the `id`. */
  readonly id: string;
}

/** Neither what is cut out nor what is left need be well-formed. */
function split(line: Buffer): Split {
  const elements: Buffer[] = [];
  const path: string[] = [];
  let others = 0;
  let rest = '';
  let kept = 0;
  let id = '';
  let key = '';
  let depth = 0;
  let idStart = -1;
  let elementStart = -1;
  let isInTools = false;

  const keep = (end: number) => {
    if (rest.length <= maxToolChars) rest += line.toString('utf8', kept, Math.min(end, kept + maxToolChars + 1));
  };

  function endElement(at: number): void {
    if (elementStart === -1) return;
    if (elements.length < maxTools) elements.push(line.subarray(elementStart, at));
    else others++;
    elementStart = -1;
  }

  function endId(at: number): void {
    if (idStart !== -1) id = line.toString('utf8', idStart, Math.min(at, idStart + 300));
    idStart = -1;
  }

  function open(byte: number, at: number): void {
    if (depth < 3) path[depth] = key;
    depth++;
    if (isInTools || depth !== 3 || byte !== 0x5b || path[1] !== 'result' || path[2] !== 'tools') return;
    isInTools = true;
    keep(at + 1);
  }

  function close(at: number): void {
    if (depth === 1) endId(at);
    if (depth === 3 && isInTools) {
      endElement(at);
      isInTools = false;
      kept = at;
    }
    depth--;
  }

  for (let at = 0; at < line.length; at++) {
    const byte = line[at] ?? 0;
    if (byte <= 0x20) continue;
    const isBetween = isInTools && depth === 3;
    if (isBetween && elementStart === -1 && byte !== comma && byte !== 0x5d) elementStart = at;
    if (byte === quote) {
      const end = endOfString(line, at + 1);
      if (depth <= 2) key = end - at > 20 ? '' : line.toString('latin1', at + 1, end);
      at = end;
    } else if (byte === 0x7b || byte === 0x5b) open(byte, at);
    else if (byte === 0x7d || byte === 0x5d) close(at);
    else if (byte === comma && isBetween) endElement(at);
    else if (byte === comma && depth === 1) endId(at);
    else if (byte === colon && depth === 1 && key === 'id') idStart = at + 1;
  }
  keep(line.length);
  return { elements, others, rest, id };
}

/** The position of the closing quote, or the end. */
function endOfString(line: Buffer, from: number): number {
  let at = from;
  while (at < line.length && line[at] !== quote) at += line[at] === backslash ? 2 : 1;
  return at;
}
