import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../jsonrpc/json.js';
import { writeFileAtomicallySync } from '../../platform/atomic-file.js';
import { crypto, sha256 } from '../../platform/crypto.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import { directoryProblem } from '../../platform/own-directory.js';
import { realPathOf } from '../trust/trust-store.js';

// Edits by our own commands, or approved by a person: running sessions apply them without a question. The digest of the text is kept
// under a key of this directory, so that who can write only the configuration cannot say the same.

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/** The last text of a file that a person agreed to. */
export interface OwnEdit {
  /** In ms since 1970: it counts once in each session, so what was undone by hand is not agreed to for ever. */
  readonly at: number;
  isOf(text: string): boolean;
  /** Whether all that leads from an earlier text to this one was agreed to; a command knows only what it changed itself. */
  isFrom(earlier: string | undefined): boolean;
}

const keyBytes = 32;

/** Several commands may write before a session looks. */
const mostEarlier = 20;

/**
 * `earlier`: the text that a command has changed; without it, a person has agreed to the whole text. Throws if it cannot be
 * written.
 */
export function recordOwnEdit(place: Place, file: string, text: string, earlier?: string, now = Date.now()): void {
  const problem = directoryProblem(directoryOf(place), place.platform);
  if (problem !== undefined) throw new Error(problem);
  const key = readKey(place) ?? createKey(place);
  // Two edits in one millisecond are two.
  const last = readRecord(place, file);
  const at = Math.max(now, (last?.at ?? 0) + 1);
  const isNext = earlier !== undefined && readOwnEdit(place, file)?.isOf(earlier) === true;
  const from =
    earlier === undefined ? undefined : [...(isNext ? (last?.from ?? []) : []), digestOf(earlier)].slice(-mostEarlier);
  const mac = macOf(key, file, { at, from }, text);
  writeFileAtomicallySync(ownEditFileOf(place, file), JSON.stringify({ version: 1, at, from, mac }));
}

/** Undefined if there is none, or nothing that can be believed. */
export function readOwnEdit(place: Place, file: string): OwnEdit | undefined {
  if (directoryProblem(directoryOf(place), place.platform) !== undefined) return undefined;
  const key = readKey(place);
  const record = readRecord(place, file);
  if (key === undefined || record === undefined) return undefined;
  const given = Buffer.from(record.mac);
  return {
    at: record.at,
    isOf(text) {
      const expected = Buffer.from(macOf(key, file, record, text));
      return given.length === expected.length && crypto().timingSafeEqual(given, expected);
    },
    isFrom: (earlier) =>
      record.from === undefined || (earlier !== undefined && record.from.includes(digestOf(earlier))),
  };
}

/** Where the last own edit of a file is kept. */
export function ownEditFileOf(place: Place, file: string): string {
  return path.join(directoryOf(place), `${sha256(realPathOf(file))}.json`);
}

function directoryOf(place: Place): string {
  return path.join(stateDirectoryOf(place), 'edits');
}

function macOf(key: Buffer, file: string, { at, from }: Pick<Written, 'at' | 'from'>, text: string): string {
  return crypto()
    .createHmac('sha256', key)
    .update(JSON.stringify([realPathOf(file), at, from ?? null, digestOf(text)]))
    .digest('hex');
}

function digestOf(text: string): string {
  return sha256(text.replace(/^\uFEFF/, ''));
}

function createKey(place: Place): Buffer {
  writeFileAtomicallySync(keyFileOf(place), crypto().randomBytes(keyBytes).toString('hex'));
  // Another command may have written its own since.
  const key = readKey(place);
  if (key === undefined) throw new Error(`${keyFileOf(place)} cannot be read`);
  return key;
}

function keyFileOf(place: Place): string {
  return path.join(directoryOf(place), 'key');
}

function readKey(place: Place): Buffer | undefined {
  try {
    const key = Buffer.from(readFileSync(keyFileOf(place), 'utf8'), 'hex');
    return key.length === keyBytes ? key : undefined;
  } catch {
    return undefined;
  }
}

interface Written {
  readonly at: number;
  /** The digests of the texts that it was made from, the latest last. */
  readonly from: readonly string[] | undefined;
  readonly mac: string;
}

function readRecord(place: Place, file: string): Written | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(ownEditFileOf(place, file), 'utf8'));
    if (!isRecord(record)) return undefined;
    const { at, from, mac } = record;
    const isFrom = from === undefined || (Array.isArray(from) && from.every((one) => typeof one === 'string'));
    return typeof at === 'number' && typeof mac === 'string' && isFrom ? { at, from, mac } : undefined;
  } catch {
    return undefined;
  }
}
