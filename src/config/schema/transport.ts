// How an entry says in which way its server is reached, in the words of all clients. Every start loads it.
import { isRecord } from '../../jsonrpc/json.js';
import type { RemoteTarget } from '../config.js';

type Meaning = 'stdio' | RemoteTarget['transport'];

/** Values of `type` and `transport`. */
export const transportWords = [
  ...(['stdio', 'local'] as const),
  ...(['http', 'streamable-http', 'streamableHttp', 'streamable_http'] as const),
  ...(['sse', 'remote'] as const),
] as const;

/** Undefined for an unknown word, which is a fault of its own. */
export function meaningOf(word: string): Meaning | undefined {
  if (word === 'stdio' || word === 'local') return 'stdio';
  if (word === 'sse') return 'sse';
  // It does not say which transport, so it means no more than a url.
  if (word === 'remote') return 'auto';
  return /http$/i.test(word) ? 'http' : undefined;
}

/** Whether only one of two can be meant. */
export function contradict(one: Meaning | undefined, other: Meaning | undefined): boolean {
  if (one === undefined || other === undefined || one === other) return false;
  return one === 'stdio' || other === 'stdio' || (one !== 'auto' && other !== 'auto');
}

/** An entry, checked or not. */
export interface RawEntry {
  readonly [key: string]: unknown;
}

/** What an entry says at one place. */
export interface Said {
  readonly at: readonly string[];
  readonly value: string;
}

/** The URLs of an entry. One that is not a string counts, too: it is a fault of its own. */
export function urlsIn(entry: RawEntry): Said[] {
  return [
    ...['url', 'httpUrl', 'serverUrl'].flatMap((key) => said(entry, [key])),
    ...said(entry, ['transport', 'url']),
  ];
}

export function typesIn(entry: RawEntry): Said[] {
  const inTransport = isRecord(entry['transport']) ? ['transport', 'type'] : ['transport'];
  return [...said(entry, ['type']), ...said(entry, inTransport)];
}

function said(entry: RawEntry, at: readonly string[]): Said[] {
  const value = at.reduce<unknown>((inside, key) => (isRecord(inside) ? inside[key] : undefined), entry);
  return value === undefined ? [] : [{ at, value: typeof value === 'string' ? value : '' }];
}

/** What the keys of an entry mean, without `type` and `transport`. */
export function impliedBy(entry: RawEntry): Meaning {
  if (entry['command'] !== undefined) return 'stdio';
  return entry['httpUrl'] === undefined ? 'auto' : 'http';
}

function meaningsIn(entry: RawEntry): (Meaning | undefined)[] {
  return [impliedBy(entry), ...typesIn(entry).map(({ value }) => meaningOf(value))];
}

/** Whether an entry says how its server is reached, and nothing that contradicts it. */
export function isClear(entry: RawEntry): boolean {
  const [first, ...others] = urlsIn(entry);
  if ((entry['command'] === undefined) === (first === undefined)) return false;
  const meanings = meaningsIn(entry);
  const agree = meanings.every((one) => meanings.every((other) => !contradict(one, other)));
  return agree && others.every(({ value }) => value === first?.value);
}

/** The transport of a clear entry that has a url. */
export function transportOf(entry: RawEntry, url: string): RemoteTarget['transport'] {
  const named = meaningsIn(entry).find((meaning) => meaning === 'http' || meaning === 'sse');
  if (named !== undefined) return named;
  return URL.canParse(url) && /\/sse\/?$/.test(new URL(url).pathname) ? 'sse' : 'auto';
}

/** The headers of an entry that have the name of an earlier one: their names are compared without case. */
export function repeatedHeaders({ headers }: RawEntry): string[] {
  const names =
    headers instanceof Map ? Array.from(headers.keys(), String) : isRecord(headers) ? Object.keys(headers) : [];
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name.toLowerCase()).size);
}
