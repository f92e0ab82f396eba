import { hasReference } from '../config/values/references.js';
import { isHarmless, isName, isPath, isPlainUrl, isWordy, looksSecret } from '../text/harmless.js';
import { secretReference } from './edit/secrets-file.js';
import type { ImportedServer } from './merge-servers.js';
import type { OwnEntry } from './own-entry.js';

/** A value that goes into a file of its own. */
export interface Secret {
  /** The variable that it becomes. */
  readonly name: string;
  readonly value: string;
  readonly server: string;
  /** Where it stands, as people call it: `TOKEN`, `Authorization`, `argument 3`. */
  readonly what: string;
}

export interface MovedSecrets {
  readonly entries: ReadonlyMap<ImportedServer, OwnEntry>;
  readonly secrets: readonly Secret[];
}

/** Replaces secrets in plain text by references. `taken`: the value of a name in the file that they go into. */
export function moveSecrets(
  servers: readonly ImportedServer[],
  taken: (name: string) => string | undefined,
): MovedSecrets {
  const values = new Map<string, string>();
  const secrets: Secret[] = [];
  const entries = new Map<ImportedServer, OwnEntry>();
  for (const server of servers) {
    const keep = (what: string, variable: string, value: string) => {
      const own = freeName(variable, server.name, value, (name) => values.get(name) ?? taken(name));
      values.set(own, value);
      secrets.push({ name: own, value, server: server.name, what });
      return secretReference(own);
    };
    entries.set(server, withReferences(server.entry, keep));
  }
  return { entries, secrets };
}

type Keep = (what: string, variable: string, value: string) => string;

function withReferences(entry: OwnEntry, keep: Keep): OwnEntry {
  const { env, headers, args, url } = entry;
  return {
    ...entry,
    ...(url !== undefined && { url: withUrl(url, keep) }),
    ...(args !== undefined && { args: withArguments(args, keep) }),
    ...(env !== undefined && { env: mapValues(env, (name, value) => withValue(name, name, value, keep)) }),
    ...(headers !== undefined && { headers: mapValues(headers, (name, value) => withHeader(name, value, keep)) }),
  };
}

function withValue(what: string, name: string, value: string, keep: Keep): string {
  return isSecret(name, value) ? keep(what, name, unescaped(value)) : value;
}

/** In plain text, and a secret by its name or, like the password in a URL, by what it is. */
function isSecret(name: string, value: string): boolean {
  if (value === '' || hasReference(value)) return false;
  if (hasPassword(value) || hasTokenForm(value)) return true;
  return looksSecret(name) && !isHarmless(value, name) && !isPath(value) && !isPlainUrl(value);
}

function hasPassword(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^@\s]+@/i.test(value);
}

const tokenForm =
  /^(?:gh[opsur]_|github_pat_|glpat-|[sr]k[-_]|xox[abeprs]-|xapp-|lin_api_|ntn_|figd_|AKIA|AIza|hf_|npm_|sbp_|pplx-|tvly-|fc-|apify_api_|eyJ)[\w.-]{16,}$/;

/** As services make them, whatever the name says. */
function hasTokenForm(value: string): boolean {
  return tokenForm.test(value) && !isWordy(value);
}

/** `Bearer TOKEN`: the scheme stays. */
function withHeader(name: string, value: string, keep: Keep): string {
  const [, scheme = '', rest = ''] = /^((?:bearer|basic|token)\s+)?([^]*)$/i.exec(value) ?? [];
  if (!isSecret(name, rest)) return value;
  return scheme + keep(name, name, unescaped(rest));
}

function withArguments(args: readonly string[], keep: Keep): string[] {
  return args.map((word, index) => {
    const before = args[index - 1] ?? '';
    const [, flag = '', assigned = ''] = /^(-{0,2}[\w.-]+)=([^]+)$/.exec(word) ?? [];
    if (flag !== '' && isSecret(flag, assigned)) return `${flag}=${keep(flag, flag, unescaped(assigned))}`;
    const [, header = '', value = ''] = /^([\w-]+):\s*([^]+)$/.exec(word) ?? [];
    if (/^(?:-H|--header)$/.test(before) && header !== '')
      return word.slice(0, -value.length) + withHeader(header, value, keep);
    if (hasPassword(word) && !hasReference(word)) return keep(`argument ${index + 1}`, 'URL', unescaped(word));
    // `--auth-type basic` is none.
    const isKey = /key|token|secret|pass|pwd/i.test(before);
    const isNamed = /^--?[\w-]+$/.test(before) && looksSecret(before) && !word.startsWith('-');
    if (isNamed && (isKey || !isName(word)) && isSecret(before, word)) return keep(before, before, unescaped(word));
    return hasTokenForm(word) ? keep(`argument ${index + 1}`, 'TOKEN', word) : word;
  });
}

/** Values of the query, a password, and parts of the path that nobody would think of. */
function withUrl(url: string, keep: Keep): string {
  if (hasReference(url)) return url;
  if (hasPassword(url)) return keep('url', 'URL', unescaped(url));
  const [, origin = '', pathname = '', rest = ''] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)([^]*)$/i.exec(url) ?? [];
  if (origin === '') return url;
  const path = pathname.replaceAll(/[\w-]{20,}/g, (part) => (isWordy(part) ? part : keep('url', 'URL', part)));
  return `${origin}${path}${withQuery(rest, keep)}`;
}

function withQuery(query: string, keep: Keep): string {
  return query.replaceAll(/([?&])([^=&#]+)=([^&#]+)/g, (all, sign: string, name: string, value: string) =>
    isSecret(name, value) ? `${sign}${name}=${keep(name, name, unescaped(value))}` : all,
  );
}

/** A reference cannot hold an escape: what is in the other file is taken as it is. */
function unescaped(text: string): string {
  return text.replaceAll('$${', () => '${');
}

/** `--api-key` of the server `my server` → `API_KEY`, or `MY_SERVER_API_KEY` if that is another one. */
function freeName(
  variable: string,
  server: string,
  value: string,
  valueOf: (name: string) => string | undefined,
): string {
  const plain = asName(variable);
  // A bare TOKEN says nothing in a file with many of them.
  const isBare = /^(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|AUTHORIZATION|URL|AUTH_TOKEN|ACCESS_TOKEN)$/.test(plain);
  const names = [...(isBare ? [] : [plain]), `${asName(server)}_${plain}`];
  const isFree = (name: string) => (valueOf(name) ?? value) === value;
  const found = names.find(isFree);
  if (found !== undefined) return found;
  for (let count = 2; ; count++) if (isFree(`${names.at(-1)}_${count}`)) return `${names.at(-1)}_${count}`;
}

function asName(text: string): string {
  const name = text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[A-Z]/.test(name) ? name : `S_${name}`.replace(/_$/, '');
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (name: string, value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]));
}
