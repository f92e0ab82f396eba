import path from 'node:path';
import { WorkbenchError } from '../../contract/errors.js';
import { maxConfigBytes } from '../../limits.js';
import { printableLine } from '../../text/printable.js';
import { fileName } from '../files/find.js';
import { readTextFile } from '../files/text-file.js';
import type { ConfigFile } from '../schema/schema.js';
import { awayOf } from '../trust/file-guard.js';
import { isLedAway, type NamedFiles, namedFilesOf, type ReadNamed, readNamed, vouchFor } from '../trust/named-files.js';
import type { NamingPlace } from '../trust/named-positions.js';
import { digestOf, readTrust, realPathOf, type TrustedFile, withFile, writeTrust } from '../trust/trust-store.js';
import { changedFile } from '../trust/vetting.js';
import { parseFile } from './parse.js';

type Place = Omit<NamingPlace, 'path'> & { readonly platform: string };

/** A configuration file by its real path, with the bytes that the user trusts. */
interface Content {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The files that a configuration names, as they will be looked for when it is used. */
export function namedFilesAt(file: string, content: ConfigFile, place: Place): NamedFiles {
  return namedFilesOf(content, placeOf(file, place));
}

/** What is stored when the user trusts a file, with the files that it names as they are read. Throws if one leads elsewhere. */
export function trustedFile(
  { path: file, bytes }: Content,
  named: NamedFiles,
  read: ReadNamed = readNamed,
): TrustedFile {
  for (const one of named.paths) {
    const why = awayOf(named, one);
    if (why !== undefined)
      throw new WorkbenchError(
        'CONFIG_UNSAFE',
        `${printableLine(file)} cannot be trusted. It names ${printableLine(one)}: ${why} Put the file itself there.`,
      );
  }
  const vouched = vouchFor(named, read);
  return {
    path: file,
    sha256: digestOf(file, bytes),
    at: new Date().toISOString(),
    ...(vouched.length > 0 && { named: vouched }),
  };
}

/** Whether a trusted file is what it was, and the files that it names. */
export function isAsTrusted({ path: file, sha256, named = [] }: TrustedFile, bytes: Uint8Array, place: Place): boolean {
  if (digestOf(file, bytes) !== sha256) return false;
  const content = contentOf({ path: file, bytes });
  return content !== undefined && changedFile(content, placeOf(file, place), named) === undefined;
}

/** A file that a command of the user changes. */
export interface ChangedFile {
  /** Its real path. */
  readonly real: string;
  readonly before: Uint8Array;
  /** Null: it is removed. */
  readonly after: Uint8Array | null;
}

/**
 * To be called before a command of the user writes files; what it returns, afterwards: configurations that are trusted, and are
 * changed or name one of the files, stay trusted.
 */
export function keepTrust(place: Place, changes: readonly ChangedFile[]): () => void {
  const changeOf = (file: string) => changes.find(({ real }) => real === file);
  const kept = readTrust(place, () => {}).files.flatMap((known) => {
    const change = changeOf(known.path);
    if (change === undefined && known.named?.some((one) => changeOf(realPathOf(one.path))) !== true) return [];
    const bytes = change?.before ?? bytesOf(known.path);
    const after = change === undefined ? bytes : change.after;
    return bytes && after && isAsTrusted(known, bytes, place) ? [{ path: known.path, bytes: after, at: known.at }] : [];
  });
  return () => {
    for (const { at, ...file } of kept) {
      const content = contentOf(file);
      if (content === undefined) continue;
      const named = namedFilesAt(file.path, content, place);
      if (named.paths.some((one) => isLedAway(named, one))) continue;
      const renewed = { ...trustedFile(file, named), at };
      writeTrust(
        place,
        withFile(
          readTrust(place, () => {}),
          renewed,
        ),
      );
    }
  };
}

function bytesOf(file: string): Uint8Array | undefined {
  const content = readTextFile(file, maxConfigBytes);
  return content.kind === 'text' ? content.bytes : undefined;
}

/** Undefined for one with faults. */
function contentOf({ path: file, bytes }: Content): ConfigFile | undefined {
  try {
    return parseFile(Buffer.from(bytes).toString('utf8'), file).file;
  } catch {
    return undefined;
  }
}

/** The usual file is used by a workbench that works in its directory. */
function placeOf(file: string, { env, home, cwd }: Place): NamingPlace {
  return { env, home, cwd: path.basename(file) === fileName ? path.dirname(file) : cwd, path: file };
}
