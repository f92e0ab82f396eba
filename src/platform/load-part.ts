import { WorkbenchError } from '../contract/errors.js';
import { partLimitMs } from '../limits.js';
import { resultWithin } from './time-limit.js';

/** Loads a part of the program on demand. It is missing if the package was updated since the start. */
export async function loadPart<T extends object>(load: () => Promise<T>): Promise<T> {
  let cause: unknown;
  try {
    const part = await resultWithin(partLimitMs, load());
    if (part !== undefined) return part;
  } catch (error) {
    cause = error;
  }
  const text =
    'A part of the workbench cannot be loaded. If the workbench was updated while running, restart the client';
  throw new WorkbenchError('PART_MISSING', text, { cause });
}
