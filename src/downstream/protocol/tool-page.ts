import { isRecord } from '../../jsonrpc/json.js';
import {
  closingBrace,
  closingBracket,
  colon,
  comma,
  JsonCursor,
  openingBrace,
  openingBracket,
  quote,
  unlimited,
} from '../../jsonrpc/json-cursor.js';
import { isRequestId, type RequestId } from '../../jsonrpc/messages.js';
import { maxToolChars, maxTools } from '../../limits.js';

const limits = { levels: 3, longStrings: unlimited, maxDepth: unlimited, maxParts: unlimited };

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
  const cursor = new JsonCursor(limits);
  cursor.feed(line);
  const elements: Buffer[] = [];
  const path: string[] = [];
  let others = 0;
  let rest = '';
  let kept = 0;
  let id = '';
  let key = '';
  let idStart = -1;
  let elementStart = 0;
  let isInTools = false;

  const keep = (end: number) => {
    if (rest.length <= maxToolChars) rest += line.toString('utf8', kept, Math.min(end, kept + maxToolChars + 1));
  };

  function endElement(at: number): void {
    let start = elementStart;
    while (start < at && (line[start] ?? 0) <= 0x20) start++;
    elementStart = at + 1;
    if (start === at) return;
    if (elements.length < maxTools) elements.push(line.subarray(start, at));
    else others++;
  }

  function endId(at: number): void {
    if (idStart !== -1) id = line.toString('utf8', idStart, Math.min(at, idStart + 300));
    idStart = -1;
  }

  function open(sign: number): void {
    const { at, depth } = cursor;
    path[depth - 1] = key;
    if (isInTools || depth !== 3 || sign !== openingBracket || path[1] !== 'result' || path[2] !== 'tools') return;
    isInTools = true;
    elementStart = at + 1;
    keep(at + 1);
  }

  function close(): void {
    const { at, depth } = cursor;
    if (depth === 0) endId(at);
    if (depth !== 2 || !isInTools) return;
    endElement(at);
    isInTools = false;
    kept = at;
  }

  for (let sign = cursor.next(); sign !== 0; sign = cursor.next()) {
    const { at, end, depth } = cursor;
    if (sign === quote) {
      if (depth <= 2) key = end - at > 21 ? '' : line.toString('latin1', at + 1, end - 1);
    } else if (sign === openingBrace || sign === openingBracket) open(sign);
    else if (sign === closingBrace || sign === closingBracket) close();
    else if (sign === comma && isInTools && depth === 3) endElement(at);
    else if (sign === comma && depth === 1) endId(at);
    else if (sign === colon && depth === 1 && key === 'id') idStart = at + 1;
  }
  keep(line.length);
  return { elements, others, rest, id };
}
