import { looksSecret } from '../../text/secrets/names.js';

/** Part of a string: literal text, a reference, or a malformed reference. */
export type Part = string | Reference | MalformedReference;

/**
 * A reference to a variable, to the text of a file, to a secret, to what VS Code would ask the user for, or to the user whom a
 * session over HTTP belongs to and the claims of the token.
 */
export interface Reference {
  readonly kind: 'variable' | 'file' | 'secret' | 'input' | 'user' | 'claim';
  /** The name of the variable, the secret or the claim, the path of the file, the id of the input; of a user `key` or `directory`. */
  readonly name: string;
  readonly fallback?: string | undefined;
}

/** `malformed-reference.ts` words it: a start that succeeds needs no words. */
export interface MalformedReference {
  readonly kind: 'malformed';
  /** Without what follows the name: it may be a default, and a default may be a secret. */
  readonly name: string;
  readonly isOpen: boolean;
  /** It begins like one of these. */
  readonly of?: 'user' | 'claim' | undefined;
}

export type Lookup = (name: string) => string | undefined;

/** Where the values of references come from. */
export interface Sources {
  readonly variable: Lookup;
  /** The text of a file, or why there is none. */
  readonly file: (path: string) => string | Problem;
  /** A value of the file of secrets, or why there is none. */
  readonly secret: (name: string) => string | Problem;
  /** Undefined if there is no user. */
  readonly user: (name: string) => string | undefined;
  /** A claim, or why it cannot be used; undefined if there is no user. */
  readonly claim: (name: string) => string | Problem | undefined;
}

export interface Problem {
  readonly problem: string;
}

/** Case-sensitive on every platform: on Windows, `process.env` itself gives `PATH` for `path`. */
export function createLookup(env: Readonly<Record<string, string | undefined>>): Lookup {
  let variables: Map<string, string | undefined> | undefined;
  return (name) => {
    variables ??= new Map(Object.entries(env));
    return variables.get(name);
  };
}

/** What is found while references are expanded. */
export interface ExpansionListener {
  /** A variable or an input that is not set and has no default, or a user where there is none. */
  missing(reference: Reference): void;
  /** A file, a secret or a claim cannot be used. */
  failed(problem: string): void;
  /** A value or a default that was inserted. */
  inserted(name: string, value: string): void;
}

/** Replaces references. References inside values are not expanded. */
export function expandReferences(text: string, sources: Sources, listener: ExpansionListener): string {
  function valueOf(part: Reference): string {
    const value =
      part.kind === 'variable' || part.kind === 'input'
        ? (sources.variable(variableOf(part)) ?? part.fallback)
        : sources[part.kind](part.name);
    if (typeof value === 'string') {
      // What we make of a user ourselves is no value from outside.
      if (part.kind !== 'user') listener.inserted(nameOfValue(part), value);
      return value;
    }
    if (value === undefined) listener.missing(part);
    else listener.failed(value.problem);
    return '';
  }
  const parts = splitReferences(text);
  return parts
    .map((part) => (typeof part === 'string' ? part : part.kind === 'malformed' ? '' : valueOf(part)))
    .join('');
}

/** A value in a file of its own is a secret, whatever its name. */
function nameOfValue({ kind, name }: Reference): string {
  return kind === 'file' || kind === 'secret' ? `secret ${name}` : name;
}

/** Whether a text refers to a secret. */
export function refersToSecret(text: string): boolean {
  return splitReferences(text).some(
    (part) =>
      typeof part === 'object' && part.kind !== 'malformed' && part.kind !== 'user' && looksSecret(nameOfValue(part)),
  );
}

/** The variable that has the value of a reference to one; that of the input `api-key` is `INPUT_API_KEY`. */
export function variableOf({ kind, name }: Reference): string {
  return kind === 'input' ? `INPUT_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}` : name;
}

// Each alternative ends at the next brace, so that no text takes more than one pass.
const reference = /\$\$\{|\$\{([^}]*)(\}?)|\{((?:env|file):[^{}]+)\}/g;

/** `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${file:PATH}`, `${secret:NAME}`, `${input:ID}`, `${user:key}`, `${claim:NAME}`, and `{env:NAME}` and `{file:PATH}` of opencode. */
export function splitReferences(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { 0: all, 1: body, 2: close, 3: bare, index } of text.matchAll(reference)) {
    const found = parseReference(body ?? bare ?? '');
    // Without a dollar sign, what is no reference is text.
    if (bare !== undefined && found === undefined) continue;
    parts.push(text.slice(at, index));
    if (body === undefined && bare === undefined) parts.push('${');
    else if (found === undefined || close === '') parts.push(malformed(body ?? '', close === ''));
    else parts.push(found);
    at = index + all.length;
  }
  return [...parts, text.slice(at)];
}

function parseReference(body: string): Reference | undefined {
  const [, prefix = '', rest = ''] = /^(?:(env|file|input|secret|user|claim):(?!-))?([^]*)$/.exec(body) ?? [];
  if (prefix === 'file' || prefix === 'input')
    return rest === '' || rest.includes('${') ? undefined : { kind: prefix, name: rest };
  if (prefix === 'user') return rest === 'key' || rest === 'directory' ? { kind: prefix, name: rest } : undefined;
  if (prefix === 'claim') return isClaimName(rest) ? { kind: prefix, name: rest } : undefined;
  const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([^]*))?$/.exec(rest) ?? [];
  if (name === undefined) return undefined;
  if (prefix !== 'secret') return { kind: 'variable', name, fallback };
  return fallback === undefined ? { kind: 'secret', name } : undefined;
}

/** As tokens have them, such as `https://example.com/roles`; without what would end a reference, or be a default in it. */
export function isClaimName(text: string): boolean {
  return text !== '' && !/[\p{Cc}{}]|:-/u.test(text);
}

function malformed(body: string, isOpen: boolean): MalformedReference {
  const [name = ''] = /^[A-Za-z0-9_]*/.exec(body) ?? [];
  const of = (['user', 'claim'] as const).find((kind) => name === kind && body[name.length] === ':');
  return { kind: 'malformed', name, isOpen, ...(of && { of }) };
}
