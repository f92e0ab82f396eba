import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../jsonrpc/json.js';
import { writeFileAtomicallySync } from '../../platform/atomic-file.js';
import { sha256 } from '../../platform/crypto.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import { directoryProblem } from '../../platform/own-directory.js';

// Edits that running sessions have not applied: each session keeps its own in a file, for `list` and `reload`.

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

/** What one session waits for. */
export interface WaitingEdit {
  /** The process of the session. */
  readonly pid: number;
  /** The configuration file. */
  readonly file: string;
  /** Of the text of the file that waits. */
  readonly sha256: string;
  /** What would change: a line for each server. */
  readonly lines: readonly string[];
}

export function digestOfText(text: string): string {
  return sha256(text.replace(/^\uFEFF/, ''));
}

/** `1 change waits: mcp-workbench reload` */
export function waitingText(count: number): string {
  return `${count === 1 ? '1 change waits' : `${count} changes wait`}: mcp-workbench reload`;
}

/** Throws if it cannot be written. */
export function writeWaiting(place: Place, waiting: WaitingEdit): void {
  const problem = directoryProblem(directoryOf(place), place.platform);
  if (problem !== undefined) throw new Error(problem);
  writeFileAtomicallySync(fileOf(place, waiting.pid), JSON.stringify({ version: 1, ...waiting }));
}

export function removeWaiting(place: Place, pid: number): void {
  rmSync(fileOf(place, pid), { force: true });
}

/** Those of sessions that run. */
export function readWaiting(place: Place): WaitingEdit[] {
  const directory = directoryOf(place);
  if (directoryProblem(directory, place.platform) !== undefined) return [];
  return namesIn(directory).flatMap((name) => {
    const found = read(path.join(directory, name));
    if (found === undefined) return [];
    if (isRunning(found.pid)) return [found];
    removeWaiting(place, found.pid);
    return [];
  });
}

function directoryOf(place: Place): string {
  return path.join(stateDirectoryOf(place), 'waiting');
}

function fileOf(place: Place, pid: number): string {
  return path.join(directoryOf(place), `${pid}.json`);
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => /^\d+\.json$/.test(name));
  } catch {
    return [];
  }
}

function read(file: string): WaitingEdit | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isRecord(content)) return undefined;
    const { pid, file: of, sha256: digest, lines } = content;
    if (typeof pid !== 'number' || typeof of !== 'string' || typeof digest !== 'string') return undefined;
    return Array.isArray(lines) ? { pid, file: of, sha256: digest, lines: lines.map(String) } : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
