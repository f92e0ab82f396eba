import { maxLoginLockMs } from '../../limits.js';
import { withFileLock } from '../../platform/file-lock.js';

/** Runs `work` while no other process does so for the same login. */
export function withLoginLock<T>(file: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return withFileLock(file, { limitMs: maxLoginLockMs, signal }, work);
}
