import { configFileShape } from '../schema/quick-shape.generated.js';
import type { ConfigFile } from '../schema/schema.js';
import { readShape, type Shape, Unsure } from '../schema/shape.js';
import { hasContradictions } from '../users/shared-entry.js';

/**
 * Reads a configuration file that is clearly valid. Every start runs this, and loading the schema would take longer than
 * all the rest. Undefined: the file has to be read with the schema, which also words the faults.
 */
export function quickFile(text: string): ConfigFile | undefined {
  const value = readQuickly(text, configFileShape);
  if (value === undefined) return undefined;
  // The shape is generated from the schema that this type is inferred from; a property test compares the two readers.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const file = value as ConfigFile;
  return hasContradictions(file) ? undefined : file;
}

/** The value in a JSON text, with comments and trailing commas, as the schema of this shape gives it. Undefined: unsure. */
export function readQuickly(text: string, shape: Shape): unknown {
  try {
    const { plain, content } = parseLenient(text);
    const seen = { keys: 0 };
    const value = readShape(content, shape, seen);
    // JSON.parse keeps only the last of a repeated key.
    return seen.keys === keysIn(plain) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The value in a JSON text, with comments and trailing commas. Undefined if it is not one. */
export function parseQuickly(text: string): unknown {
  try {
    return parseLenient(text).content;
  } catch {
    return undefined;
  }
}

/** `plain`: the text without comments and trailing commas. Most files have none, and looking for them takes longer than parsing. */
function parseLenient(text: string): { readonly plain: string; readonly content: unknown } {
  try {
    return { plain: text, content: JSON.parse(text) };
  } catch {
    const plain = withoutExtras(text);
    return { plain, content: JSON.parse(plain) };
  }
}

/** Removes comments and trailing commas, but not inside strings. One pass: a regular expression would start again at every quote. */
function withoutExtras(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  let before = ',';
  let comma = -1;
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    const end = endOfToken(text, at, sign);
    if (sign === '/') {
      pieces.push(text.slice(from, at), ' ');
      from = end;
    } else if (sign > ' ') {
      if (comma !== -1 && (sign === ']' || sign === '}')) pieces[comma] = '';
      comma = -1;
      if (sign === ',' && !',[{:'.includes(before)) {
        comma = pieces.push(text.slice(from, at), ',') - 1;
        from = end;
      }
      before = sign;
    }
    at = end;
  }
  return pieces.join('') + text.slice(from);
}

function endOfToken(text: string, at: number, sign: string): number {
  if (sign === '"') {
    for (let end = at + 1; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === quote) return end + 1;
      if (code === backslash) end++;
    }
    throw new Unsure();
  }
  if (sign !== '/') return at + 1;
  const end = text[at + 1] === '/' ? lineEnd(text, at) : text.indexOf('*/', at + 2) + 2;
  if (end < at + 2 || !'/*'.includes(text.charAt(at + 1))) throw new Unsure();
  return end;
}

const quote = 0x22;
const backslash = 0x5c;

function lineEnd(text: string, at: number): number {
  const line = /[^\n\r]*/y;
  line.lastIndex = at;
  return at + (line.exec(text)?.[0].length ?? 0);
}

/** How many keys the objects in a JSON text have. */
function keysIn(text: string): number {
  let keys = 0;
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) if (colon !== undefined) keys++;
  return keys;
}
