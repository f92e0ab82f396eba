import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isOwnGroup } from '../../platform/own-group.js';

/** Who may change a file: its owner, its group and its mode. */
export interface Access {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  readonly dev: number;
}

export type TextFile =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: Buffer; readonly access: Access }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly problem: string }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Reads a text file of the user, and only a regular one. What is known about it is that of the very file that was read. */
export function readTextFile(path: string, maxBytes: number): TextFile {
  let descriptor: number | undefined;
  try {
    // Opening a pipe without a writer would block the start.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const access = fstatSync(descriptor);
    if (access.isDirectory()) return { kind: 'unreadable', problem: 'it is a directory' };
    if (!access.isFile()) return { kind: 'unreadable', problem: 'it is not a regular file' };
    const bytes = readUpTo(descriptor, maxBytes + 1);
    if (bytes.length > maxBytes) return { kind: 'invalid', problem: `it is larger than ${maxBytes / 1_000_000} MB` };
    return decode(bytes, access);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
    if (code === 'EACCES' || code === 'EPERM') return { kind: 'unreadable', problem: 'permission denied' };
    return { kind: 'unreadable', problem: `it cannot be read (${code})` };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Most files fit in it. */
const firstBufferBytes = 65_536;

/** The size of a file says nothing: those of `/proc` have none, and some never end. */
function readUpTo(descriptor: number, maxLength: number): Buffer {
  let bytes: Buffer = Buffer.allocUnsafe(Math.min(firstBufferBytes, maxLength));
  let length = 0;
  for (let count = 1; count > 0 && length < maxLength; length += count) {
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(4 * length, maxLength));
    count = readSync(descriptor, bytes, { offset: length });
  }
  return bytes.subarray(0, length);
}

/** Whether users other than this one and root can change a file. Unknown on Windows. */
export function isOpenToOthers({ uid, gid, mode }: Access): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return false;
  return (uid !== user && uid !== 0) || (mode & (isOwnGroup(gid) ? 0o002 : 0o022)) !== 0;
}

/** Whether users outside this user's own group, other than root, can read a file. Unknown on Windows. */
export function isReadableByOthers({ gid, mode }: Access): boolean {
  if (process.geteuid === undefined) return false;
  return (mode & (isOwnGroup(gid) ? 0o004 : 0o044)) !== 0;
}

function decode(bytes: Buffer, access: Access): TextFile {
  // PowerShell's `>` writes UTF-16, which can be valid UTF-8 but contains zero bytes.
  if (!isUtf8(bytes) || bytes.includes(0))
    return { kind: 'invalid', problem: 'it is not UTF-8 text; save it as UTF-8' };
  return { kind: 'text', text: bytes.toString('utf8'), bytes, access };
}
