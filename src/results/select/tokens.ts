import { SelectFault } from './fault.js';

export type TokenKind = 'name' | 'quoted' | 'literal' | 'number' | 'end' | (typeof signs)[number];

export interface Token {
  readonly kind: TokenKind;
  /** Of a name, quoted name, literal or number. */
  readonly value: unknown;
  /** Where it begins. */
  readonly at: number;
  readonly text: string;
}

// The longer ones first.
const signs = [
  ...(['[?', '[]', '||', '&&', '==', '!=', '<=', '>='] as const),
  ...(['.', '*', '[', ']', '|', '&', '!', '<', '>', '(', ')', '{', '}', ',', ':', '@'] as const),
] as const;

const patterns = {
  space: /[ \t\r\n]*/y,
  name: /[A-Za-z_]\w*/y,
  number: /-?\d+/y,
  quoted: /"(?:[^"\\]|\\[^])*"/y,
  raw: /'(?:[^'\\]|\\[^])*'/y,
  json: /`(?:[^`\\]|\\[^])*`/y,
};

/** The tokens of an expression, without its end. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at = skipSpace(text, at + token.text.length);
  }
  return tokens;
}

function skipSpace(text: string, at: number): number {
  return at + (match(patterns.space, text, at)?.length ?? 0);
}

function tokenAt(text: string, at: number): Token {
  const token = (kind: TokenKind, source: string, value?: unknown): Token => ({ kind, value, at, text: source });
  const name = match(patterns.name, text, at);
  if (name !== undefined) return token('name', name, name);
  const number = match(patterns.number, text, at);
  if (number !== undefined) return token('number', number, Number(number));
  const quoted = match(patterns.quoted, text, at);
  if (quoted !== undefined) return token('quoted', quoted, parsed(quoted, at));
  const raw = match(patterns.raw, text, at);
  if (raw !== undefined) return token('literal', raw, raw.slice(1, -1).replaceAll(String.raw`\'`, "'"));
  const json = match(patterns.json, text, at);
  if (json !== undefined) return token('literal', json, parsed(json.slice(1, -1).replaceAll('\\`', '`'), at));
  const sign = signs.find((each) => text.startsWith(each, at));
  if (sign !== undefined) return token(sign, sign);
  throw unreadable(text, at);
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function parsed(json: string, at: number): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    throw new SelectFault('syntax', `invalid JSON in quotes at character ${at + 1}`);
  }
}

function unreadable(text: string, at: number): SelectFault {
  const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const isOpen = '"\'`'.includes(sign);
  return new SelectFault('syntax', `${isOpen ? `unclosed ${sign}` : `unexpected ${sign}`} at character ${at + 1}`);
}
