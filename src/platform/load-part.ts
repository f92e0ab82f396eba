import { WorkbenchError } from '../contract/errors.js';

/** Loads a part of the program that is not needed at the start. It is gone if the package was replaced meanwhile. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const text = 'A part of the workbench cannot be loaded. If it was updated while it ran, restart the client';
    throw new WorkbenchError('PART_MISSING', text, { cause });
  }
}
