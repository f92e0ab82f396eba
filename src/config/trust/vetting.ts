import path from 'node:path';
import { WorkbenchError } from '../../contract/errors.js';
import { configDirectoryOf } from '../../platform/directories.js';
import { printableLine } from '../../text/printable.js';
import { requireSafeAccess } from '../files/access.js';
import type { FaultyFile, FoundFile, LocalFile } from '../files/config-file.js';
import { exampleFile } from '../files/example-file.js';
import { type FindOptions, fileName } from '../files/find.js';
import { digestOf, isLink, readTrust, realPathOf } from './trust-store.js';

/** The file, if it can be read and nobody else can change it. Throws otherwise. */
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
}

/** Whether the user trusts the file in the working directory, with exactly the bytes that were read. */
export function judgeLocalFile(local: LocalFile, options: FindOptions, warn: (message: string) => void): Verdict {
  const real = realPathOf(local.path);
  // It is found again as the user's own file.
  if (real === realPathOf(path.join(configDirectoryOf(options), fileName))) return { isTrusted: false };
  // Its relative paths would start in this directory, not in that of the file the user looked at.
  if (isLink(local.path)) {
    warn(`${printableLine(local.path)} is not used: it is a link. A file there that is no link can be trusted.`);
    return notUsed('it is a link.');
  }
  const { files } = readTrust(options, warn);
  const known = files.find((file) => file.path === real);
  if (local.found !== undefined && known?.sha256 === digestOf(real, local.found.bytes)) return { isTrusted: true };
  const why = known === undefined ? 'the user has not trusted it' : 'it has changed since the user trusted it';
  warn(
    `${printableLine(real)} is not used: ${why}. To look at it and trust it, run in its directory: mcp-workbench trust`,
  );
  return notUsed(`${why}. Only the user can decide on it, in a terminal: mcp-workbench trust`);
}

/** The path may be anyone's text as well, so the agent does not read it. */
function notUsed(why: string): Verdict {
  return { isTrusted: false, notice: `Not used: a workbench-config.json in the working directory; ${why}` };
}
