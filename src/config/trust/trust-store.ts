import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../../jsonrpc/json.js';
import { maxTrustBytes } from '../../limits.js';
import { writeFileAtomicallySync } from '../../platform/atomic-file.js';
import { crypto } from '../../platform/crypto.js';
import { stateDirectoryOf } from '../../platform/directories.js';
import { directoryProblem } from '../../platform/own-directory.js';
import { accessProblem } from '../files/access.js';
import { readTextFile } from '../files/text-file.js';
import { areVouchedFiles, isVouchedFile, type VouchedFile } from '../files/vouched-file.js';

export interface TrustedFile {
  readonly path: string;
  /** Of the real path and the content. */
  readonly sha256: string;
  readonly at: string;
  /** The files of its project that it names. */
  readonly named?: readonly VouchedFile[];
}

export interface TrustedDirectory {
  readonly path: string;
  readonly at: string;
}

/** What the user trusts. Paths are real paths. */
export interface Trust {
  readonly files: readonly TrustedFile[];
  readonly directories: readonly TrustedDirectory[];
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string;
}

const nothing: Trust = { files: [], directories: [] };

/** A damaged file, or one that others can change, counts as empty: what it says is not what the user said. */
export function readTrust(place: Place, warn: (message: string) => void): Trust {
  const file = trustFileOf(place);
  const refuse = (problem: string) => {
    warn(`${file} is not used, so nothing is trusted: ${problem}.`);
    return nothing;
  };
  const problem = directoryProblem(path.dirname(file), place.platform);
  if (problem !== undefined) return refuse(problem);
  const content = readTextFile(file, maxTrustBytes);
  if (content.kind === 'missing') return nothing;
  if (content.kind !== 'text') return refuse(content.problem);
  const uid = process.geteuid?.();
  const user = { uid: uid ?? 0, gid: process.getegid?.() ?? 0, platform: place.platform };
  const access = uid === undefined ? undefined : accessProblem(file, content.access, user);
  if (access !== undefined) return refuse(`it ${access.what}; run: ${access.remedy}`);
  return parseTrust(content.text) ?? refuse('it is damaged');
}

/** Throws if the file cannot be written. */
export function writeTrust(place: Place, trust: Trust): void {
  const file = trustFileOf(place);
  const problem = directoryProblem(path.dirname(file), place.platform);
  if (problem !== undefined) throw new Error(problem);
  writeFileAtomicallySync(file, `${JSON.stringify({ version: 1, ...trust }, undefined, 2)}\n`);
}

/** One path can be trusted with one content. */
export function withFile(trust: Trust, added: TrustedFile): Trust {
  return { ...trust, files: [...trust.files.filter((one) => one.path !== added.path), added] };
}

export function withDirectory(trust: Trust, added: TrustedDirectory): Trust {
  return { ...trust, directories: [...trust.directories.filter((one) => one.path !== added.path), added] };
}

export function digestOf(realPath: string, bytes: Uint8Array): string {
  return crypto().createHash('sha256').update(`${realPath}\0`).update(bytes).digest('hex');
}

/** The file that it is kept in. */
export function trustFileOf(place: Place): string {
  const paths = place.platform === 'win32' ? path.win32 : path.posix;
  return paths.join(stateDirectoryOf(place), 'trust.json');
}

/** The real path of a file or directory; of one that does not exist, that of the part which does, and the rest. */
export function realPathOf(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    const parent = path.dirname(file);
    return parent === file ? file : path.join(realPathOf(parent), path.basename(file));
  }
}

/** Whether the last part of a path leads elsewhere. */
export function isLink(file: string): boolean {
  return leadsFrom(file, path.join(realPathOf(path.dirname(file)), path.basename(file)));
}

/** Whether a file is not the one at a path without links. On many disks `Foo.json` is the same name as `foo.json`. */
export function leadsFrom(file: string, direct: string): boolean {
  const real = realPathOf(file);
  if (real === direct) return false;
  const isOtherName = real.toLowerCase().normalize() !== direct.toLowerCase().normalize();
  return isOtherName || !isSameFile(real, direct);
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => lstatSync(file, { bigint: true, throwIfNoEntry: false }));
  if (first === undefined || second === undefined || second.isSymbolicLink()) return false;
  return first.ino === second.ino && first.dev === second.dev;
}

function parseTrust(text: string): Trust | undefined {
  try {
    const content: unknown = JSON.parse(text);
    if (!isRecord(content) || !Array.isArray(content['files']) || !Array.isArray(content['directories']))
      return undefined;
    const files: readonly unknown[] = content['files'];
    const directories: readonly unknown[] = content['directories'];
    return files.every(isTrustedFile) && directories.every(isTrustedDirectory) ? { files, directories } : undefined;
  } catch {
    return undefined;
  }
}

function isTrustedFile(value: unknown): value is TrustedFile {
  if (!isTrustedDirectory(value) || !isVouchedFile(value)) return false;
  return !('named' in value) || areVouchedFiles(value.named);
}

function isTrustedDirectory(value: unknown): value is TrustedDirectory {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['at'] === 'string';
}
