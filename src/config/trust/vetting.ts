import path from 'node:path';
import { WorkbenchError } from '../../contract/errors.js';
import { configDirectoryOf } from '../../platform/directories.js';
import { printableLine } from '../../text/printable.js';
import { shellQuote } from '../../text/shell-quote.js';
import { requireSafeAccess } from '../files/access.js';
import type { FaultyFile, FoundFile, LocalFile } from '../files/config-file.js';
import { exampleFile } from '../files/example-file.js';
import { type FindOptions, fileName } from '../files/find.js';
import type { VouchedFile } from '../files/vouched-file.js';
import type { ConfigFile } from '../schema/schema.js';
import { awayOf, changeOf, createFileGuard } from './file-guard.js';
import { namedFilesOf, readNamed } from './named-files.js';
import type { NamingPlace } from './named-positions.js';
import { digestOf, isLink, leadsFrom, readTrust, realPathOf } from './trust-store.js';

export { createFileGuard };

/** The file, if it can be read and no other user can change it. Throws otherwise. */
export function usableFile(file: FoundFile | FaultyFile, warn: (message: string) => void): FoundFile {
  if ('fault' in file) throw faultOf(file);
  requireSafeAccess(file.suspects, warn);
  return file;
}

function faultOf({ path: file, namedBy, fault }: FaultyFile): WorkbenchError {
  if (fault.kind === 'invalid') {
    return new WorkbenchError('CONFIG_INVALID', `The configuration file ${file} is not valid: ${fault.problem}.`);
  }
  const origin = namedBy === undefined ? '' : ` (named by ${namedBy})`;
  const problem =
    fault.kind === 'missing'
      ? 'it does not exist. Create it, or correct the path'
      : `${fault.problem}. Use a file that can be read`;
  return new WorkbenchError(
    'CONFIG_NOT_FOUND',
    `Cannot read the configuration file ${file}${origin}: ${problem}. ${exampleFile}`,
  );
}

/** Whether a file in the working directory may be used; if not, a line about it for the agent. */
export interface Verdict {
  readonly isTrusted: boolean;
  readonly notice?: string;
  /** The files that it names, as they were trusted with it. */
  readonly vouched?: readonly VouchedFile[];
}

/** Whether the user trusts the file in the working directory, with exactly the bytes that were read. */
export function judgeLocalFile(local: LocalFile, options: FindOptions, warn: (message: string) => void): Verdict {
  const real = realPathOf(local.path);
  // It is found again as the user's own file.
  if (real === ownFileOf(options)) return { isTrusted: false };
  // Its relative paths would start in this directory, not in that of the file the user looked at.
  if (isLink(local.path)) {
    warn(`${printableLine(local.path)} is not used: it is a link. A file there that is no link can be trusted.`);
    return notUsed('it is a link.');
  }
  const known = readTrust(options, warn).files.find((file) => file.path === real);
  if (local.found !== undefined && known?.sha256 === digestOf(real, local.found.bytes))
    return { isTrusted: true, vouched: known.named ?? [] };
  return refused(real, known === undefined ? 'the user has not trusted it' : hasChanged, warn);
}

const hasChanged = 'it has changed since the user trusted it';

/** Whether the files that a trusted file names are still as they were trusted. */
export function judgeNamedFiles(
  { path: file, vouched }: { readonly path: string; readonly vouched: readonly VouchedFile[] },
  content: ConfigFile,
  options: FindOptions,
  warn: (message: string) => void,
): Verdict {
  const changed = changedFile(content, { ...options, path: file }, vouched);
  if (changed === undefined) return { isTrusted: true, vouched };
  warn(`${printableLine(changed.path)}, which ${printableLine(file)} names: ${changed.why}`);
  return refused(realPathOf(file), 'a file that it names has changed since the user trusted it', warn);
}

interface Changed {
  readonly path: string;
  readonly why: string;
}

/** The first of the named files that is not as it was trusted. */
export function changedFile(
  content: ConfigFile,
  place: NamingPlace,
  vouched: readonly VouchedFile[],
): Changed | undefined {
  const named = namedFilesOf(content, place);
  for (const one of named.paths) {
    const why = awayOf(named, one) ?? changeOf(named, one, readNamed(one), vouched);
    if (why !== undefined) return { path: one, why };
  }
  return undefined;
}

/** Of a file that is named by a relative path. Throws if it is not trusted: which file that is depends on the directory. */
export function requireTrust(found: FoundFile, options: FindOptions): readonly VouchedFile[] | undefined {
  const real = realPathOf(found.path);
  if (real === ownFileOf(options)) return undefined;
  const known = readTrust(options, () => {}).files.find((file) => file.path === real);
  // Its relative paths would start elsewhere than in the directory of the file that the user looked at.
  const direct = path.join(realPathOf(options.cwd), path.relative(options.cwd, found.path));
  if (leadsFrom(found.path, direct)) throw untrusted(found.path, 'a link leads to it');
  if (known?.sha256 === digestOf(real, found.bytes)) return known.named ?? [];
  throw untrusted(found.path, known === undefined ? 'you have not trusted it' : 'it has changed since you trusted it');
}

/** The same for the files that it names. */
export function requireNamedFiles(found: FoundFile, content: ConfigFile, options: FindOptions): void {
  const changed = found.vouched && changedFile(content, { ...options, path: found.path }, found.vouched);
  if (changed !== undefined)
    throw untrusted(found.path, `it names ${printableLine(changed.path)}, and that has changed since you trusted it`);
}

function untrusted(file: string, why: string): WorkbenchError {
  const shown = printableLine(file);
  return new WorkbenchError(
    'CONFIG_UNTRUSTED',
    `The configuration ${shown} is not used: a relative path names it, so it may be anyone's, and ${why}. ` +
      `To look at it and trust it, run: mcp-workbench trust ${shellQuote(shown)}`,
  );
}

function ownFileOf(options: FindOptions): string {
  return realPathOf(path.join(configDirectoryOf(options), fileName));
}

function refused(real: string, why: string, warn: (message: string) => void): Verdict {
  warn(
    `${printableLine(real)} is not used: ${why}. To look at it and trust it, run in its directory: mcp-workbench trust`,
  );
  return notUsed(`${why}. Only the user can decide on it, in a terminal: mcp-workbench trust`);
}

/** The path may be anyone's text as well, so the agent does not read it. */
function notUsed(why: string): Verdict {
  return { isTrusted: false, notice: `Not used: a workbench-config.json in the working directory; ${why}` };
}
