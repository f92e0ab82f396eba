import { isRecord } from '../../jsonrpc/json.js';
import { shorten } from '../../text/shorten.js';

export type Keywords = Readonly<Record<string, unknown>>;

const longestWord = 40;

/** The types a schema allows, guessed from its other keywords if it does not say. */
export function typesOf(schema: Keywords): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string').slice(0, 10);
  if ('properties' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : [];
}

/** A type that is neither object nor array; types that JSON Schema does not know pass as they are. */
export function plainType(type: string, { format }: Keywords): string {
  if (type !== 'string') return shorten(type, longestWord);
  return typeof format === 'string' && /^[\w-]{1,20}$/.test(format) ? `string<${format}>` : 'string';
}

/** What a reference is called where it is not followed: `#/$defs/Node` is `Node`. */
export function referenceName(reference: string): string {
  return shorten(reference.split('/').at(-1) ?? '', longestWord).replace(/^#?$/, '…');
}

export function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

export function objectText(members: readonly string[]): string {
  return members.length === 0 ? 'object' : `{${members.join(', ')}}`;
}

/** `a|b|c`, each once, with an ellipsis in place of those beyond the first `most`. */
export function unionText(texts: readonly string[], most: number): string {
  return withEllipsis([...new Set(texts)], most).join('|') || 'never';
}

export function tupleText(texts: readonly string[], most: number): string {
  return `[${withEllipsis(texts, most).join(', ')}]`;
}

/** In brackets if it is a union or an intersection: needed where something follows. */
export function bracketed(text: string): string {
  return isCompound(text) ? `(${text})` : text;
}

function isCompound(text: string): boolean {
  // Strings may hold anything, and what stands inside of brackets is held together by them.
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
  let open = 0;
  for (const char of bare) {
    if ('{[('.includes(char)) open++;
    if ('}])'.includes(char)) open--;
    if (open === 0 && (char === '|' || char === '&')) return true;
  }
  return false;
}

export function requiredNames({ required }: Keywords): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withEllipsis(texts: readonly string[], most: number): readonly string[] {
  return texts.length > most ? [...texts.slice(0, most), '…'] : texts;
}
