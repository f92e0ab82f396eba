import { linkSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crypto } from './crypto.js';

const suffix = '.tmp';
// No write takes that long, so the process that began it has ended.
const staleAfterMs = 3_600_000;
const directoryOptions = { recursive: true, mode: 0o700 } as const;
const fileOptions = { mode: 0o600 } as const;

/**
 * Writes a file that only the user can access, unless another mode is given, and creates its directory if needed. Readers see the old content or the
 * new, never a part. After a failure, for example on a full disk, no temporary file is left.
 */
export async function writeFileAtomically(file: string, text: string | readonly string[], mode = 0o600): Promise<void> {
  const temporary = temporaryOf(file);
  try {
    await mkdir(path.dirname(file), directoryOptions);
    await writeFile(temporary, text, { mode });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

export function writeFileAtomicallySync(file: string, content: string | Uint8Array): void {
  const temporary = temporaryOf(file);
  try {
    mkdirSync(path.dirname(file), directoryOptions);
    writeFileSync(temporary, content, fileOptions);
    renameSync(temporary, file);
  } catch (error) {
    attempt(() => rmSync(temporary, { force: true }));
    throw error;
  }
}

/** The same for a file that is made once. False if there is one, also if another process has made it just now: that one stays. */
export function createFileAtomicallySync(file: string, content: string | Uint8Array): boolean {
  const temporary = temporaryOf(file);
  try {
    mkdirSync(path.dirname(file), directoryOptions);
    writeFileSync(temporary, content, fileOptions);
    return giveName(temporary, file);
  } finally {
    attempt(() => rmSync(temporary, { force: true }));
  }
}

function giveName(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file);
    return true;
  } catch {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return false;
    // Some file systems have no links. There, of two processes at the same moment the later one wins.
    renameSync(temporary, file);
    return true;
  }
}

/** Removes temporary files of interrupted writes, for example after `kill -9`. */
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

/** For cleanup: a failure is ignored. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // The next cleanup tries again.
  }
}
