import { WorkbenchError } from '../contract/errors.js';

/** Loads a part of the program on demand. The part is missing if the package was updated since the start. */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const text =
      'A part of the workbench cannot be loaded. If the workbench was updated while running, restart the client';
    throw new WorkbenchError('PART_MISSING', text, { cause });
  }
}
