import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';

export type TextFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problem: string }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Reads a text file of the user. Only regular files: reading a pipe without a writer would block the start. */
export function readTextFile(path: string, maxBytes: number): TextFile {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return { kind: 'unreadable', problem: 'it is a directory' };
    if (!stats.isFile()) return { kind: 'unreadable', problem: 'it is not a regular file' };
    if (stats.size > maxBytes) return { kind: 'invalid', problem: `it is larger than ${maxBytes / 1_000_000} MB` };
    return decode(readFileSync(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'EACCES' || code === 'EPERM') return { kind: 'unreadable', problem: 'permission denied' };
    return { kind: 'unreadable', problem: `it cannot be read (${code})` };
  }
}

function decode(bytes: Buffer): TextFile {
  // PowerShell's `>` writes UTF-16, which can be valid UTF-8 but contains zero bytes.
  if (!isUtf8(bytes) || bytes.includes(0))
    return { kind: 'invalid', problem: 'it is not UTF-8 text; save it as UTF-8' };
  return { kind: 'text', text: bytes.toString('utf8') };
}
