import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { maskDocument } from '../../../clients/documents/mask-document.js';
import { type ClientEntry, type ClientFile, serversIn } from '../../../clients/files/client-file.js';
import { commandLineOf } from '../../../clients/our-entry.js';
import { serverOf } from '../../../clients/served-servers.js';
import type { Client } from '../../../clients/table/client.js';
import { createMask, type Mask } from '../../../downstream/masking/mask.js';
import { secretValues } from '../../../downstream/masking/secret-values.js';
import { isRecord } from '../../../jsonrpc/json.js';
import type { Computer } from '../../../platform/computer.js';
import type { Certainty } from '../../../text/secrets/find-secrets.js';
import { hiddenMark } from '../../../text/secrets/known-forms.js';
import { beginsLikePath } from '../../../text/secrets/plain.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { shortPath } from '../../frame/screen/short-path.js';

/** The file of a client, and the entry that we write into it, in which there is nothing to hide. */
interface ShownFile {
  readonly client: Client;
  readonly file: ClientFile;
  readonly entry: object;
  readonly computer: Computer;
}

/** What an entry does, on one line: the command with secrets masked, and the names of variables and headers. */
export function describeEntry(entry: ClientEntry, shown: ShownFile): string {
  const { computer } = shown;
  const mask = isDeepStrictEqual(entry.value, shown.entry) ? undefined : createMask(secretsOf(entry, shown));
  const show = (word: string) => withDots(mask, shownWord(word, computer.home));
  const { value } = entry;
  const [url] = urlsOf(value);
  const [command, ...args] = commandLineOf(value);
  const words = command === undefined ? [] : [shownCommand(command, show), ...args.map(show)];
  const names = isRecord(value)
    ? [
        ...namesIn('env', value['env'] ?? value['environment']),
        ...namesIn('header', value['headers'] ?? value['http_headers']),
      ]
    : [];
  return [...(words.length > 0 ? words : url === undefined ? [] : [withDots(mask, url)]), ...names].join(' ');
}

/** With spaces it is a path, or a whole command line, whose words may be secrets. */
function shownCommand(command: string, show: (word: string) => string): string {
  return isCommandLine(command) ? `${show(command.replace(/\s.*/s, ''))} ${hiddenMark}` : show(command);
}

function isCommandLine(command: string): boolean {
  return /\s/.test(command) && !beginsLikePath(command);
}

/** A path below the home directory with `~`, which a shell expands only without quotes. */
function shownWord(word: string, home: string): string {
  const short = path.isAbsolute(word) ? shortPath(word, home) : word;
  return short !== word && shellQuote(short.slice(1)) === short.slice(1) ? short : shellQuote(word);
}

function urlsOf(value: unknown): string[] {
  return isRecord(value) ? [value['url'], value['httpUrl'], value['serverUrl']].filter(isText) : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function namesIn(kind: string, values: unknown): string[] {
  return isRecord(values) ? Object.keys(values).map((name) => `${kind} ${name}=${hiddenMark}`) : [];
}

function withDots(mask: Mask | undefined, text: string): string {
  return mask === undefined ? text : mask.text(text).replaceAll('***', hiddenMark);
}

/** An entry that we cannot read shows nothing but its command, paths and the names of its options. */
function secretsOf(
  entry: ClientEntry,
  { client, file, computer }: Omit<ShownFile, 'entry'>,
): ReadonlyMap<string, Certainty> {
  const server = serverOf(client, entry, file, computer);
  if (server !== undefined && server.target.kind !== 'broken') return secretValues(server);
  const [, ...args] = commandLineOf(entry.value);
  const values = args.map((word) => (word.startsWith('-') ? word.replace(/^[^=]*=?/, '') : word));
  const hidden = values.filter((word) => word !== '' && !beginsLikePath(word));
  return new Map([...hidden, ...urlsOf(entry.value)].map((word) => [word, 'placed']));
}

/** Keys of an entry whose values say what it does. */
const shownKeys = new Set(['type', 'command', 'args', 'url', 'httpUrl', 'serverUrl', 'transport']);

/** The text of a file for a diff: of the servers it shows what they start, of the rest nothing. */
export function maskedText(shown: ShownFile): string {
  const { client, file } = shown;
  const entries = serversIn(client, file);
  const isOurs = ({ value }: ClientEntry) => isDeepStrictEqual(value, shown.entry);
  const ours = new Set(entries.filter(isOurs).map(({ at, name }) => JSON.stringify([...at, name])));
  const mask = createMask(new Map(entries.flatMap((entry) => (isOurs(entry) ? [] : [...secretsOf(entry, shown)]))));
  const containers = new Set(entries.map(({ at }) => JSON.stringify(at)));
  return maskDocument(file.document, ({ path: keys, text }) => {
    const depth = keys.findIndex((_, index) => containers.has(JSON.stringify(keys.slice(0, index))));
    if (depth !== -1 && ours.has(JSON.stringify(keys.slice(0, depth + 1)))) return text;
    const key = depth === -1 ? undefined : keys[depth + 1];
    const isWhole =
      key === 'command' && keys.length === depth + 2 && isCommandLine(text.slice(1, -1).replaceAll('\\\\', '\\'));
    return typeof key === 'string' && shownKeys.has(key) && !isWhole ? withDots(mask, text) : undefined;
  });
}
