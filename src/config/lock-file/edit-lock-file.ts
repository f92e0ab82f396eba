import { stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../contract/errors.js';
import { maxLockWaitMs } from '../../limits.js';
import { writeFileAtomically } from '../../platform/atomic-file.js';
import { withFileLock } from '../../platform/file-lock.js';
import { directoryProblem } from '../../platform/own-directory.js';
import { emptyLock, type LockDocument } from './lock-document.js';
import type { LockPaths } from './lock-path.js';
import { printLock } from './print-lock.js';
import { readLockFile } from './read-lock-file.js';

/** A lock file that is not understood is never written: it may be of a later version, or in the middle of a merge. */
class UnusableLock extends Error {
  override readonly name = 'UnusableLock';
}

/** By name: each part of the program has its own copy of the class. */
export function isUnusableLock(error: unknown): boolean {
  return error instanceof Error && error.name === 'UnusableLock';
}

type EditLock = (document: LockDocument) => LockDocument | Promise<LockDocument>;

/** Where an edit was written. `instead`: why not beside the configuration. */
export interface WrittenLock {
  readonly file: string;
  readonly instead?: string;
}

/**
 * Changes the lock of a configuration. `edit` gets what the file holds by then: of several processes that write at the same time
 * nothing is lost. If it returns the same document, nothing is written. What cannot be written beside the configuration goes into
 * the user's state. Throws if it can be written nowhere.
 */
export async function editLock({ beside, own }: LockPaths, configFile: string, edit: EditLock): Promise<WrittenLock> {
  try {
    await editFile(beside, await modeOf(configFile), edit);
    return { file: beside };
  } catch (error) {
    if (isUnusableLock(error)) throw error;
    const unsafe = directoryProblem(path.dirname(own), process.platform);
    if (unsafe !== undefined) throw new Error(`${messageOf(error)}, and ${unsafe}`, { cause: error });
    await editFile(own, 0o600, edit);
    return { file: own, instead: messageOf(error) };
  }
}

async function editFile(file: string, mode: number, edit: EditLock): Promise<void> {
  await withFileLock(file, { limitMs: maxLockWaitMs }, async () => {
    const found = await readLockFile(file, { isWalked: true });
    if (found.is === 'unusable') throw new UnusableLock(`${file}: ${found.problem}`);
    const before = found.is === 'read' ? found.document : emptyLock;
    const after = await edit(before);
    if (after !== before) await writeFileAtomically(file, await printLock(after), mode);
  });
}

/** Who may read the configuration may read its lock. */
async function modeOf(configFile: string): Promise<number> {
  return (await stat(configFile)).mode & 0o666 & ~0o022;
}
