import type { CallToolResult } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';

/** As in messages: clients and recursive code can take as much. */
const maxValueDepth = 100;

type Block = NonNullable<CallToolResult['content']>[number];

/** What `select`, `find` and pages work on. */
export type Content =
  | { readonly isText: false; readonly value: unknown }
  | { readonly isText: true; readonly value: string };

/**
 * The value of a result: its one text block if that is a JSON object or list; if all of several text blocks are, a list of them;
 * else its structured content, unless that only repeats the text; else its text, a line feed between two blocks. JSON nested
 * more than 100 levels deep counts as text.
 */
export function contentOf(result: CallToolResult): Content {
  const texts = textsOf(result);
  const values = structuresIn(texts);
  if (values !== undefined) return { isText: false, value: values.length === 1 ? values[0] : values };
  const text = texts.join('\n');
  const { structuredContent } = result;
  const isMissing = structuredContent === undefined || structuredContent === null;
  if (isMissing || repeats(structuredContent, text)) return { isText: true, value: text };
  return { isText: false, value: structuredContent };
}

/** Images, audio, links and resources: they are no part of the value, and stay as they are, after the text. */
export function otherBlocks(result: CallToolResult): Block[] {
  return blocksOf(result).filter((block) => textOf(block) === undefined);
}

function textsOf(result: CallToolResult): string[] {
  return blocksOf(result)
    .map(textOf)
    .filter((text) => text !== undefined);
}

// Results are not validated: servers may send anything, whatever the type says.
function blocksOf({ content }: CallToolResult): Block[] {
  return Array.isArray(content) ? content : [];
}

function textOf(block: unknown): string | undefined {
  return isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string' ? block['text'] : undefined;
}

/** The objects and lists that all of these texts are. */
function structuresIn(texts: readonly string[]): unknown[] | undefined {
  const values: unknown[] = [];
  for (const text of texts) {
    const value = structureIn(text);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values.length === 0 ? undefined : values;
}

function structureIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || isDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Before it is parsed, because parsing four million levels takes five seconds. Right for JSON; for other text it does not matter. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openList || code === openObject) {
      if (++depth > maxValueDepth) return true;
    } else if (code === closeList || code === closeObject) depth--;
  }
  return false;
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

function endOfString(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The file server, among others, sends its text a second time as the one field of an object. */
function repeats(structured: unknown, text: string): boolean {
  if (!isRecord(structured)) return structured === text;
  const values = Object.values(structured);
  return values.length === 1 && values[0] === text;
}
