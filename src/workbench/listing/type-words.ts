import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { shorten, shortenAtWord } from '../../text/shorten.js';

const longestWord = 40;

/** The types a schema allows, inferred from its other keywords if `type` is missing. */
export function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.slice(0, 10).filter((one) => typeof one === 'string');
  if ('properties' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : [];
}

/** A type other than object and array; types outside JSON Schema are kept as they are. */
export function plainType(type: string, { format }: JsonObject): string {
  if (type !== 'string') return shorten(type, longestWord);
  return typeof format === 'string' && /^[\w-]{1,20}$/.test(format) ? `string<${format}>` : 'string';
}

/** The short name of a reference that is not followed: `#/$defs/Node` is `Node`. */
export function referenceName(reference: string): string {
  return shorten(reference.slice(reference.lastIndexOf('/') + 1), longestWord).replace(/^#?$/, '…');
}

export function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/** ` /* text *\/`, on one line; empty if there is no text. */
export function commentText(text: string, maxChars: number): string {
  const start = text
    .slice(0, 2 * maxChars)
    .replace(/\s+/g, ' ')
    .replaceAll('*/', '* /')
    .trim();
  return start === '' ? '' : ` /* ${shortenAtWord(start, maxChars)} */`;
}

export function objectText(members: readonly string[]): string {
  return members.length === 0 ? 'object' : `{${members.join(', ')}}`;
}

/** `a|b|c`, each once; an ellipsis replaces those beyond the first `max`. */
export function unionText(texts: readonly string[], max: number): string {
  return withEllipsis([...new Set(texts)], max).join('|') || 'never';
}

export function tupleText(texts: readonly string[], max: number): string {
  return `[${withEllipsis(texts, max).join(', ')}]`;
}

/** In brackets if it is a union or an intersection, so that a suffix applies to the whole. */
export function bracketed(text: string): string {
  return isCompound(text) ? `(${text})` : text;
}

function isCompound(text: string): boolean {
  // Operators inside strings, comments and brackets do not count.
  let open = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') isQuoted = !isQuoted;
    if (isQuoted) {
      if (char === '\\') at++;
      continue;
    }
    if (char === '/' && text.startsWith(' /* ', at - 1)) at = Math.max(at, text.indexOf(' */', at) + 2);
    if ('{[('.includes(char)) open++;
    if ('}])'.includes(char)) open--;
    if (open === 0 && (char === '|' || char === '&')) return true;
  }
  return false;
}

export function requiredNames({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withEllipsis(texts: readonly string[], max: number): readonly string[] {
  return texts.length > max ? [...texts.slice(0, max), '…'] : texts;
}
