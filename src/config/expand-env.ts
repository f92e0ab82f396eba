/** Part of a string: literal text, a reference to a variable, or a malformed reference. */
export type Part = string | VariableReference | MalformedReference;

interface VariableReference {
  readonly kind: 'variable';
  readonly name: string;
  readonly fallback: string | undefined;
}

interface MalformedReference {
  readonly kind: 'malformed';
  readonly what: string;
  readonly remedy: string;
}

export type Lookup = (name: string) => string | undefined;

/** Case-sensitive on every platform: on Windows, `process.env` itself gives `PATH` for `path`. */
export function createLookup(env: Readonly<Record<string, string | undefined>>): Lookup {
  let variables: Map<string, string | undefined> | undefined;
  return (name) => {
    variables ??= new Map(Object.entries(env));
    return variables.get(name);
  };
}

/** What is found while variables are expanded. */
export interface ExpansionListener {
  /** The variable is not set and has no default. */
  missing(name: string): void;
  /** A value or a default that was inserted. */
  inserted(name: string, value: string): void;
}

/** Replaces `${VAR}` and `${VAR:-default}`. References inside values are not expanded. */
export function expandVariables(text: string, lookup: Lookup, listener: ExpansionListener): string {
  return splitReferences(text)
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.kind === 'malformed') return '';
      const value = lookup(part.name) ?? part.fallback;
      if (value === undefined) listener.missing(part.name);
      else listener.inserted(part.name, value);
      return value ?? '';
    })
    .join('');
}

export function splitReferences(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (;;) {
    const open = text.indexOf('${', at);
    if (open === -1) return [...parts, text.slice(at)];
    if (open > at && text[open - 1] === '$') {
      parts.push(text.slice(at, open - 1), '${');
      at = open + 2;
      continue;
    }
    parts.push(text.slice(at, open));
    const close = text.indexOf('}', open);
    if (close === -1) return [...parts, malformed(text.slice(open + 2), 'has no closing }')];
    parts.push(parseReference(text.slice(open + 2, close)));
    at = close + 1;
  }
}

function parseReference(body: string): Part {
  const separator = body.indexOf(':-');
  const name = separator === -1 ? body : body.slice(0, separator);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return malformed(body, 'is malformed');
  return { kind: 'variable', name, fallback: separator === -1 ? undefined : body.slice(separator + 2) };
}

/** Names only the variable: what follows may be a default, and a default may be a secret. */
function malformed(body: string, problem: string): MalformedReference {
  const [name = ''] = /^[A-Za-z0-9_]*/.exec(body) ?? [];
  const valid = /^[A-Za-z_]/.test(name) ? name : 'NAME';
  const subject = name === '' ? 'A variable reference without a name' : `The reference to variable '${name}'`;
  return {
    kind: 'malformed',
    what: `${subject} ${problem}.`,
    remedy: `Write \${${valid}} or \${${valid}:-default}, and $\${ for a literal \${. Names consist of letters, digits and _, and do not start with a digit.`,
  };
}
