import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crypto } from './crypto.js';

const suffix = '.tmp';
// No write takes that long: who began it is gone.
const staleAfterMs = 3_600_000;
const directoryOptions = { recursive: true, mode: 0o700 } as const;
const fileOptions = { mode: 0o600 } as const;

/**
 * Writes a file for the user alone, and its directory if it is missing. Readers see the old content or the new, never a
 * part of it. After a failure, e.g. for want of space, nothing new is left.
 */
export async function writeFileAtomically(file: string, text: string): Promise<void> {
  const temporary = temporaryOf(file);
  try {
    await mkdir(path.dirname(file), directoryOptions);
    await writeFile(temporary, text, fileOptions);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

export function writeFileAtomicallySync(file: string, text: string): void {
  const temporary = temporaryOf(file);
  try {
    mkdirSync(path.dirname(file), directoryOptions);
    writeFileSync(temporary, text, fileOptions);
    renameSync(temporary, file);
  } catch (error) {
    attempt(() => rmSync(temporary, { force: true }));
    throw error;
  }
}

/** Removes what a write has left that was interrupted, by `kill -9` for example. */
export function removeStaleTemporaries(directory: string): void {
  attempt(() => {
    for (const name of readdirSync(directory).filter((entry) => entry.endsWith(suffix))) {
      const file = path.join(directory, name);
      attempt(() => {
        if (Date.now() - statSync(file).mtimeMs > staleAfterMs) rmSync(file, { force: true });
      });
    }
  });
}

function temporaryOf(file: string): string {
  return `${file}.${crypto().randomUUID()}${suffix}`;
}

/** For cleanup: if it fails there is nothing else to do. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // Left for the next time.
  }
}
