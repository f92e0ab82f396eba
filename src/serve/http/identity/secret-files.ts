import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import path from 'node:path';
import { messageOf, WorkbenchError } from '../../../contract/errors.js';
import { createFileAtomicallySync, writeFileAtomicallySync } from '../../../platform/atomic-file.js';
import { directoryProblem } from '../../../platform/own-directory.js';
import { newToken } from '../../../platform/token.js';
import { secretBytes } from './limits.js';

/** A file with random data of ours in the user's data directory. */
interface SecretFile {
  readonly name: string;
  readonly content: string;
  /** What another one costs. */
  readonly cost: string;
}

const tokenFile: SecretFile = {
  name: 'http-token',
  content: 'the token of the HTTP service',
  cost: 'then give that one to your clients',
};

const keyFile: SecretFile = {
  name: 'http-secret',
  content: 'the key that the HTTP service signs sessions with',
  cost: 'clients then begin new sessions',
};

/** As it is written: `secretBytes` in base64url. */
const written = /^([\w-]{43})\r?\n?$/;
const longestFile = 64;

/** The token of the one person who may call over HTTP. It is made once. */
export function readOrMakeToken(dataDirectory: string, platform: string): string {
  return readOrMake(tokenFile, dataDirectory, platform);
}

/** Undefined if none was made yet. */
export function readToken(dataDirectory: string, platform: string): string | undefined {
  assertOwn(tokenFile, dataDirectory, platform);
  return read(tokenFile, dataDirectory);
}

/** A new token in the place of the former one, whatever is wrong with that. A running service notices. */
export function replaceToken(dataDirectory: string, platform: string): string {
  assertOwn(tokenFile, dataDirectory, platform);
  const token = newToken(secretBytes);
  write(tokenFile, dataDirectory, (file) => writeFileAtomicallySync(file, `${token}\n`));
  return token;
}

/** The key for session ids and request states. It is made once: both stay valid when the service starts again. */
export function readOrMakeSecret(dataDirectory: string, platform: string): Buffer {
  return Buffer.from(readOrMake(keyFile, dataDirectory, platform), 'base64url');
}

function readOrMake(secret: SecretFile, dataDirectory: string, platform: string): string {
  assertOwn(secret, dataDirectory, platform);
  const kept = read(secret, dataDirectory);
  if (kept !== undefined) return kept;
  write(secret, dataDirectory, (file) => createFileAtomicallySync(file, `${newToken(secretBytes)}\n`));
  // Another process may have made it at the same time; what is in the file counts for both.
  const made = read(secret, dataDirectory);
  if (made === undefined) throw unusable(secret, dataDirectory, 'was removed while it was made');
  return made;
}

function assertOwn({ content }: SecretFile, dataDirectory: string, platform: string): void {
  const problem = directoryProblem(dataDirectory, platform);
  if (problem === undefined) return;
  throw new WorkbenchError(
    'HTTP_KEY_UNUSABLE',
    `There is no safe place for ${content}: ${problem}. Make it a directory of yours that nobody else can write to.`,
  );
}

function read(secret: SecretFile, dataDirectory: string): string | undefined {
  const file = path.join(dataDirectory, secret.name);
  let descriptor: number | undefined;
  try {
    // For the message, and for Windows, where opening follows links.
    if (lstatSync(file).isSymbolicLink()) throw unusable(secret, dataDirectory, 'is a symbolic link');
    // What is checked is the very file that is read. A pipe must not hold up the start.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const problem = problemOf(fstatSync(descriptor));
    if (problem !== undefined) throw unusable(secret, dataDirectory, problem);
    const bytes = Buffer.alloc(longestFile);
    const length = readSync(descriptor, bytes, { position: 0 });
    const [, value] = written.exec(bytes.toString('latin1', 0, length)) ?? [];
    if (value === undefined) throw unusable(secret, dataDirectory, 'is damaged');
    return value;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === 'ENOENT') return undefined;
    if (code === 'HTTP_KEY_UNUSABLE') throw error;
    throw unusable(secret, dataDirectory, `cannot be read (${code ?? messageOf(error)})`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Unlike files that are only written by us, these must not be readable by anybody else either, own group or not. */
function problemOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'is not a regular file';
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (stats.uid !== user) return 'belongs to another user';
  return (stats.mode & 0o077) === 0 ? undefined : 'can be read or written by other users';
}

function write(secret: SecretFile, dataDirectory: string, work: (file: string) => void): void {
  const file = path.join(dataDirectory, secret.name);
  try {
    work(file);
  } catch (cause) {
    throw new WorkbenchError(
      'HTTP_KEY_UNUSABLE',
      `${file} cannot be written: ${messageOf(cause)}. It has to hold ${secret.content}; fix the access to it or its directory.`,
      { cause },
    );
  }
}

function unusable({ name, content, cost }: SecretFile, dataDirectory: string, problem: string): WorkbenchError {
  const file = path.join(dataDirectory, name);
  return new WorkbenchError(
    'HTTP_KEY_UNUSABLE',
    `${file} ${problem}. It holds ${content}. Remove it, and the next start makes another one; ${cost}.`,
  );
}
