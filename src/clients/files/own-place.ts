import { WorkbenchError } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { directoryProblem } from '../../platform/own-directory.js';

/** Throws if a directory of ours is not only ours: what is written there is trusted later. */
export function requireOwnDirectory(directory: string, { platform }: Pick<Computer, 'platform'>): void {
  const problem = directoryProblem(directory, platform);
  if (problem === undefined) return;
  throw new WorkbenchError('CLIENT_FILE_UNWRITABLE', `Cannot write ${directory}: ${problem}. Nothing was changed.`);
}
