import { hasReference } from '../config/values/references.js';
import { hasPassword, isSecret } from '../text/secrets/find-secrets.js';
import { replaceKnownForms } from '../text/secrets/known-forms.js';
import { isSwitch, looksSecret } from '../text/secrets/names.js';
import { isName, looksRandom } from '../text/secrets/plain.js';
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
  return isInPlainText(name, value) ? keep(what, name, unescaped(value)) : value;
}

function isInPlainText(name: string, value: string): boolean {
  return value !== '' && !hasReference(value) && isSecret(name, value);
}

/** `Bearer TOKEN`: the scheme stays. */
function withHeader(name: string, value: string, keep: Keep): string {
  const [, scheme = '', rest = ''] = /^((?:bearer|basic|token)\s+)?([^]*)$/i.exec(value) ?? [];
  if (!isInPlainText(name, rest)) return value;
  return scheme + keep(name, name, unescaped(rest));
}

function withArguments(args: readonly string[], keep: Keep): string[] {
  return args.map((word, index) => {
    const before = args[index - 1] ?? '';
    const [, flag = '', assigned = ''] = /^(-{0,2}[\w.-]+)=([^]+)$/.exec(word) ?? [];
    if (flag !== '' && isInPlainText(flag, assigned)) return `${flag}=${keep(flag, flag, unescaped(assigned))}`;
    const [, header = '', value = ''] = /^([\w-]+):\s*([^]+)$/.exec(word) ?? [];
    if (/^(?:-H|--header)$/.test(before) && header !== '')
      return word.slice(0, -value.length) + withHeader(header, value, keep);
    if (hasPassword(word) && !hasReference(word)) return keep(`argument ${index + 1}`, 'URL', unescaped(word));
    // `--auth-type basic` is none.
    const isKey = /key|token|secret|pass|pwd/i.test(before);
    const isNamed = /^--?[\w-]+$/.test(before) && looksSecret(before) && !isSwitch(before) && !word.startsWith('-');
    if (isNamed && (isKey || !isName(word)) && isInPlainText(before, word))
      return keep(before, before, unescaped(word));
    return replaceKnownForms(word, (token) => keep(`argument ${index + 1}`, 'TOKEN', token));
  });
}

/** Values of the query, a password, and parts of the path that look random. */
function withUrl(url: string, keep: Keep): string {
  if (hasReference(url)) return url;
  if (hasPassword(url)) return keep('url', 'URL', unescaped(url));
  const [, origin = '', pathname = '', rest = ''] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)([^]*)$/i.exec(url) ?? [];
  if (origin === '') return url;
  const path = pathname.replaceAll(/[\w-]{20,}/g, (part) => (looksRandom(part) ? keep('url', 'URL', part) : part));
  return `${origin}${path}${withQuery(rest, keep)}`;
}

function withQuery(query: string, keep: Keep): string {
  return query.replaceAll(/([?&])([^=&#]+)=([^&#]+)/g, (all, sign: string, name: string, value: string) =>
    isInPlainText(name, value) ? `${sign}${name}=${keep(name, name, unescaped(value))}` : all,
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
