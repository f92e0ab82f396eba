import path from 'node:path';
import type { ConfigText } from '../../../clients/served-servers.js';
import { configCandidates, expandHome, fileName } from '../../../config/files/find.js';
import { readTextFile } from '../../../config/files/text-file.js';
import { findFile } from '../../../config/read/find-file.js';
import { maxConfigBytes } from '../../../limits.js';
import type { Computer } from '../../../platform/computer.js';
import { configDirectoryOf } from '../../../platform/directories.js';
import type { Output } from '../../frame/screen/output.js';

/** The configuration that servers are added to. */
export interface SetupTarget {
  readonly path: string;
  /** Undefined: it is made. */
  readonly config: ConfigText | undefined;
}

/** The file that would be used, also if it is named and not there yet; else the user's own. */
export async function setupTarget(
  named: string | undefined,
  computer: Computer,
  output: Pick<Output, 'say'>,
): Promise<SetupTarget> {
  const search = { ...computer, ...(named !== undefined && { path: named }) };
  const missing = configCandidates(search).find(
    ({ path: file, namedBy }) => namedBy !== undefined && readTextFile(file, maxConfigBytes).kind === 'missing',
  );
  if (missing !== undefined) return { path: missing.path, config: undefined };
  const { file, notice } = await findFile(named, computer, (message) => output.say(message));
  if (notice !== undefined) output.say(notice);
  if (file !== undefined) return { path: file.path, config: file };
  return { path: path.join(configDirectoryOf(computer), fileName), config: undefined };
}

/** A word of the command line as a path. */
export function pathOf(word: string, { cwd, home }: Computer): string {
  return path.resolve(cwd, expandHome(word, home));
}
