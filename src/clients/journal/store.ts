import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readTextFile } from '../../config/files/text-file.js';
import { maxClientFileBytes } from '../../limits.js';
import { removeStaleTemporaries, writeFileAtomicallySync } from '../../platform/atomic-file.js';
import type { Computer } from '../../platform/computer.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import { requireOwnDirectory } from '../files/own-place.js';
import { unwritable } from '../files/replace-file.js';
import { type ChangeRecord, type FileChange, parseRecord } from './record.js';

type Place = Pick<Computer, 'env' | 'platform' | 'home'>;

const suffix = '.json.gz';
const kept = 20;

/** The changes that were made, the oldest first; one file each, because they hold whole files of others. */
export function readJournal(place: Place): ChangeRecord[] {
  return namesIn(place)
    .flatMap((name) => readRecord(path.join(journalDirectoryOf(place), name)) ?? [])
    .filter((record) => record.isPending !== true || record.changes.some(hasHappened))
    .toSorted((one, other) => one.id - other.id);
}

export function nextId(place: Place): number {
  return Math.max(0, ...namesIn(place).map((name) => Number.parseInt(name, 10) || 0)) + 1;
}

/** Throws if it cannot be written: without a record nothing may be changed. */
export function writeRecord(place: Place, record: ChangeRecord): void {
  const directory = journalDirectoryOf(place);
  requireOwnDirectory(directory, place);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    removeStaleTemporaries(directory);
    writeFileAtomicallySync(fileOf(place, record.id), gzipSync(JSON.stringify(record)));
  } catch (error) {
    throw unwritable(directory, error);
  }
}

export function removeRecord(place: Place, id: number): void {
  rmSync(fileOf(place, id), { force: true });
}

/** Removes old records, but none whose client is still connected by it. */
export function pruneJournal(place: Place): void {
  const records = readJournal(place);
  for (const record of records.slice(0, -kept))
    if (!record.changes.some((change) => isConnection(record, change))) removeRecord(place, record.id);
}

/** Whether a change of a record connects a client, and still holds. `client`: any if it is not given. */
export function isConnection(record: ChangeRecord, change: FileChange, client?: string): boolean {
  if (record.isUndone === true || change.isUndone === true) return false;
  const connected = change.client ?? (record.command.startsWith('connect ') ? record.client : undefined);
  return connected !== undefined && (client === undefined || connected === client);
}

function journalDirectoryOf(place: Place): string {
  return path.join(stateDirectoryOf(place), 'journal');
}

function fileOf(place: Place, id: number): string {
  return path.join(journalDirectoryOf(place), `${String(id).padStart(6, '0')}${suffix}`);
}

function namesIn(place: Place): string[] {
  try {
    return readdirSync(journalDirectoryOf(place)).filter((name) => /^\d+\.json\.gz$/.test(name));
  } catch {
    return [];
  }
}

function readRecord(file: string): ChangeRecord | undefined {
  try {
    return parseRecord(gunzipSync(readFileSync(file)).toString('utf8'));
  } catch {
    // Damaged, or removed since.
    return undefined;
  }
}

/** A process that was killed before it wrote has changed nothing. */
function hasHappened({ real, before }: FileChange): boolean {
  const now = readTextFile(real, maxClientFileBytes);
  return (now.kind === 'text' ? now.text : null) !== before;
}
