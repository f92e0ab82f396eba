import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../jsonrpc/json.js';
import { lastGoodMs, maxConfigBytes } from '../../limits.js';
import { removeStaleTemporaries, writeFileAtomicallySync } from '../../platform/atomic-file.js';
import { sha256 } from '../../platform/crypto.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import { directoryProblem } from '../../platform/own-directory.js';
import { isOpenToOthers, isReadableByOthers, readTextFile } from '../files/text-file.js';
import { realPathOf } from '../trust/trust-store.js';

// The last text of each configuration file that loaded: a session that starts while the file has a fault uses it.

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

export interface LastGood {
  readonly text: string;
  /** When it loaded last, to the day; in ms since 1970. */
  readonly at: number;
}

/** The date of an unchanged text is renewed once a day. */
const datedMs = 86_400_000;
/** A text in JSON: each character may be an escape of six. */
const maxBytes = 6 * maxConfigBytes;

/** Undefined if none is kept, or if anybody else could have changed it. */
export function readLastGood(place: Place, file: string, now = Date.now()): LastGood | undefined {
  const kept = fileFor(place, file);
  if (directoryProblem(path.dirname(kept), place.platform) !== undefined) return undefined;
  const content = readTextFile(kept, maxBytes);
  if (content.kind !== 'text' || isOpenToOthers(content.access) || isReadableByOthers(content.access)) return undefined;
  const last = parse(content.text);
  return last === undefined || now - last.at > lastGoodMs ? undefined : last;
}

/**
 * Keeps the text of a file that has loaded. Throws if it cannot be written. Synchronous: a process that exits during the write would leave
 * a temporary file with the text.
 */
export function keepLastGood(place: Place, file: string, text: string, now = Date.now()): void {
  const last = readLastGood(place, file, now);
  if (last?.text === text && now - last.at < datedMs) return;
  const kept = fileFor(place, file);
  const directory = path.dirname(kept);
  const problem = directoryProblem(directory, place.platform);
  if (problem !== undefined) throw new Error(problem);
  writeFileAtomicallySync(kept, JSON.stringify({ version: 1, at: new Date(now).toISOString(), text }));
  removeStaleTemporaries(directory);
  removeOld(directory, now);
}

function fileFor(place: Place, file: string): string {
  return path.join(stateDirectoryOf(place), 'last-good', `${sha256(realPathOf(file))}.json`);
}

function parse(json: string): LastGood | undefined {
  try {
    const content: unknown = JSON.parse(json);
    if (!isRecord(content) || typeof content['text'] !== 'string') return undefined;
    const at = Date.parse(String(content['at']));
    return Number.isNaN(at) ? undefined : { text: content['text'], at };
  } catch {
    return undefined;
  }
}

/** Texts may contain secrets, so none is kept for longer than it can be used. */
function removeOld(directory: string, now: number): void {
  for (const name of readdirSync(directory)) {
    const file = path.join(directory, name);
    if (now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > lastGoodMs) rmSync(file, { force: true });
  }
}
