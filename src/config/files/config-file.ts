import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { maxConfigBytes } from '../../limits.js';
import { type Candidate, configCandidates, type FindOptions } from './find.js';
import { type Access, readTextFile, type TextFile } from './text-file.js';
import type { VouchedFile } from './vouched-file.js';

/** A configuration file that was found. */
export interface FoundFile {
  readonly path: string;
  readonly text: string;
  readonly bytes: Buffer;
  /** See `Candidate`. */
  readonly isRelative?: true;
  /** The files that it names, as they were trusted with it; only of a file that needed trust. */
  readonly vouched?: readonly VouchedFile[];
  /** The file and its directory, where they need a closer look: others may be able to change them. */
  readonly suspects: readonly Suspect[];
}

export interface Suspect {
  readonly path: string;
  readonly access: Access;
}

/** A configuration file that cannot be read. `vetting.ts` words it: a start that succeeds needs no words. */
export interface FaultyFile extends Candidate {
  readonly fault: Exclude<TextFile, { readonly kind: 'text' }>;
}

/** A file that may only be used if the user trusts it. `found` is undefined if it cannot be read as text. */
export interface LocalFile {
  readonly path: string;
  readonly found: FoundFile | undefined;
}

/** The file in the working directory, if there is one and it would be used. */
export function readLocalFile(options: FindOptions): LocalFile | undefined {
  const local = configCandidates(options).find(({ needsTrust }) => needsTrust);
  if (local === undefined) return undefined;
  const content = readTextFile(local.path, maxConfigBytes);
  if (content.kind === 'missing') return undefined;
  return { path: local.path, found: content.kind === 'text' ? foundAt(local.path, content) : undefined };
}

/** The named file, or that of the user. Undefined if no file was named and none was found. */
export function readConfigFile(options: FindOptions): FoundFile | FaultyFile | undefined {
  const candidate = configCandidates(options).find(({ needsTrust }) => !needsTrust);
  return candidate && readCandidate(candidate);
}

/** The file at a path. Undefined if there is none and none was named. */
export function readCandidate(candidate: Candidate): FoundFile | FaultyFile | undefined {
  const content = readTextFile(candidate.path, maxConfigBytes);
  const found = content.kind === 'text' ? foundAt(candidate.path, content) : undefined;
  if (found !== undefined) return candidate.isRelative ? { ...found, isRelative: true } : found;
  const fault = content.kind === 'text' ? ({ kind: 'missing' } as const) : content;
  return fault.kind === 'missing' && candidate.namedBy === undefined ? undefined : { ...candidate, fault };
}

/** Undefined if it has just been removed. */
function foundAt(file: string, content: { text: string; bytes: Buffer; access: Access }): FoundFile | undefined {
  const { text, bytes, access } = content;
  const user = process.geteuid?.();
  // Windows has no such owners and modes.
  if (user === undefined) return { path: file, text, bytes, suspects: [] };
  // A user who can write to the directory can replace the file, or redirect it if it is a link.
  const isSuspect = ({ uid, mode }: Access) => (uid !== user && uid !== 0) || (mode & 0o022) !== 0;
  try {
    const directories = new Set([path.dirname(file), path.dirname(realpathSync.native(file))]);
    const all = [{ path: file, access }, ...Array.from(directories, (at) => ({ path: at, access: statSync(at) }))];
    return { path: file, text, bytes, suspects: all.filter((one) => isSuspect(one.access)) };
  } catch {
    return undefined;
  }
}
