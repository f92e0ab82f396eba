import { WorkbenchError } from '../../contract/errors.js';
import { type FileLockFailure, isFileLockFailure, type LockOptions, withFileLock } from '../../platform/file-lock.js';

/** Runs something while holding the lock of a client's file, or of our journal. Nothing was changed if it cannot be had. */
export async function withClientFileLock<T>(
  file: string,
  options: Pick<LockOptions, 'limitMs' | 'form'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withFileLock(file, { ...options, isUninterrupted: true }, work);
  } catch (error) {
    throw isFileLockFailure(error) ? notLocked(error, options.limitMs) : error;
  }
}

function notLocked(failure: FileLockFailure, limitMs: number): WorkbenchError {
  const { lock, code } = failure;
  const [kind, what] =
    code === 'BUSY'
      ? ([
          'CLIENT_FILE_BUSY',
          `${lock} is still there after ${limitMs / 1_000} s: another program is writing the file`,
        ] as const)
      : (['CLIENT_FILE_UNWRITABLE', `Cannot lock the file: ${code} for ${lock}`] as const);
  return new WorkbenchError(kind, `${what}. Nothing was changed.`, { cause: failure });
}
