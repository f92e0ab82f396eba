import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/csv': 'csv',
};
const longestStem = 60;
const maxTries = 10_000;

/**
 * Writes a new file into a directory and returns its path. Nothing is overwritten. The name is made of the tool's name and a
 * number: names of servers must not decide where something is written, or as what.
 */
export function saveFile(directory: string, tool: string, mimeType: string, bytes: Buffer): string {
  mkdirSync(directory, { recursive: true });
  const stem =
    tool
      .replaceAll(/[^\w-]+/g, '_')
      .replace(/^[_-]+/, '')
      .slice(0, longestStem) || 'result';
  const ending = Object.hasOwn(endings, mimeType) ? endings[mimeType] : 'bin';
  for (let number = 1; number <= maxTries; number++) {
    const file = path.join(directory, `${stem}-${number}.${ending}`);
    if (tryWrite(file, bytes)) return file;
  }
  throw new Error(`${directory} has too many files of that name`);
}

/** False if there is one already, or a link. */
function tryWrite(file: string, bytes: Buffer): boolean {
  try {
    writeFileSync(file, bytes, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
