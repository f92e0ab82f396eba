import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { posixOnly, rootOnly } from '../../../../test/support/platform.js';
import { isWorkbenchError } from '../../../contract/errors.js';
import { readOrMakeSecret, readOrMakeToken, readToken, replaceToken } from './secret-files.js';

const { platform } = process;
const modeOf = (path: string) => statSync(path).mode & 0o777;

/** The user's data directory, which is not there yet. */
function place(): { readonly data: string; readonly file: string; readonly secret: string } {
  const data = join(realpathSync(temporaryDirectory()), 'mcp-workbench');
  return { data, file: join(data, 'http-token'), secret: join(data, 'http-secret') };
}

function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isWorkbenchError(error) && error.code === 'HTTP_KEY_UNUSABLE') return error.message;
    throw error;
  }
  throw new Error('it did not fail');
}

test('the token is made once, of 32 random bytes, in a file that only its user can read', () => {
  const { data, file } = place();
  expect(readToken(data, platform)).toBeUndefined();
  expect(existsSync(data)).toBe(false);
  const token = readOrMakeToken(data, platform);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect(readOrMakeToken(data, platform)).toBe(token);
  expect(readToken(data, platform)).toBe(token);
  expect(readdirSync(data)).toEqual(['http-token']);
  if (platform !== 'win32') expect([modeOf(data), modeOf(file)]).toEqual([0o700, 0o600]);
});

test('the tokens of two users differ', () => {
  expect(readOrMakeToken(place().data, platform)).not.toBe(readOrMakeToken(place().data, platform));
});

test('the key for sessions is made once, in a file of its own', () => {
  const { data, secret } = place();
  const key = readOrMakeSecret(data, platform);
  expect(key).toHaveLength(32);
  expect(readOrMakeSecret(data, platform)).toEqual(key);
  expect(readOrMakeToken(data, platform)).not.toBe(key.toString('base64url'));
  if (platform !== 'win32') expect(modeOf(secret)).toBe(0o600);
});

test('a replaced token is another one, and the key for sessions stays', () => {
  const { data, file } = place();
  const before = readOrMakeToken(data, platform);
  const key = readOrMakeSecret(data, platform);
  const token = replaceToken(data, platform);
  expect(token).not.toBe(before);
  expect(readOrMakeToken(data, platform)).toBe(token);
  expect(readOrMakeSecret(data, platform)).toEqual(key);
  expect(readdirSync(data)).toEqual(['http-secret', 'http-token']);
  if (platform !== 'win32') expect(modeOf(file)).toBe(0o600);
});

test('a token whose file was saved by an editor is still read', () => {
  const { data, file } = place();
  const token = readOrMakeToken(data, platform);
  writeFileSync(file, `${token}\r\n`);
  expect(readToken(data, platform)).toBe(token);
  writeFileSync(file, token);
  expect(readToken(data, platform)).toBe(token);
});

type Trap = (file: string, elsewhere: string) => void;
const traps: Readonly<Record<string, Trap>> = {
  'is a symbolic link': (file, elsewhere) => {
    writeFileSync(elsewhere, readFileSync(file), { mode: 0o600 });
    rmSync(file);
    symlinkSync(elsewhere, file);
  },
  'can be read or written by other users': (file) => {
    posixOnly('file modes');
    chmodSync(file, 0o640);
  },
  'belongs to another user': (file) => {
    rootOnly('another user');
    chownSync(file, 65_534, 65_534);
  },
  'is damaged': (file) => writeFileSync(file, 'short'),
  'is not a regular file': (file) => {
    posixOnly('a directory cannot be opened on Windows');
    rmSync(file);
    mkdirSync(file, { mode: 0o700 });
  },
};

test.each(Object.entries(traps))(
  'no token is read from a file that %s, and the text says what to do',
  (problem, prepare) => {
    const { data, file } = place();
    readOrMakeToken(data, platform);
    prepare(file, join(data, 'elsewhere'));
    for (const read of [readOrMakeToken, readToken]) {
      const message = failureOf(() => read(data, platform));
      expect(message).toContain(`${file} ${problem}. It holds the token of the HTTP service. Remove it, `);
      expect(message).toMatch(/; then give that one to your clients\.$/);
    }
  },
);

test.each(Object.entries(traps))(
  'no key for sessions is read from a file that %s, and the text says what to do',
  (problem, prepare) => {
    const { data, secret } = place();
    readOrMakeSecret(data, platform);
    prepare(secret, join(data, 'elsewhere'));
    const message = failureOf(() => readOrMakeSecret(data, platform));
    expect(message).toContain(
      `${secret} ${problem}. It holds the key that the HTTP service signs sessions with. Remove it, `,
    );
    expect(message).toMatch(/; clients then begin new sessions\.$/);
  },
);

test('an empty file is damaged, not a token without characters', () => {
  const { data, file } = place();
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(file, '', { mode: 0o600 });
  expect(failureOf(() => readOrMakeToken(data, platform))).toContain('is damaged');
});

test('a link and a readable file are replaced by a new token, and what the link leads to is not written', () => {
  posixOnly('file modes');
  const { data, file } = place();
  readOrMakeToken(data, platform);
  const elsewhere = join(data, 'elsewhere');
  traps['is a symbolic link']?.(file, elsewhere);
  const before = readFileSync(elsewhere, 'utf8');
  const token = replaceToken(data, platform);
  expect(readToken(data, platform)).toBe(token);
  expect(readFileSync(elsewhere, 'utf8')).toBe(before);
  chmodSync(file, 0o644);
  replaceToken(data, platform);
  expect(modeOf(file)).toBe(0o600);
});

test('nothing is read from or written to a data directory that others can write to', () => {
  posixOnly('file modes');
  const { data } = place();
  mkdirSync(data);
  chmodSync(data, 0o777);
  for (const work of [readOrMakeToken, readToken, replaceToken, readOrMakeSecret]) {
    expect(failureOf(() => work(data, platform))).toMatch(
      /can be written to by other users\. Make it a directory of yours/,
    );
  }
  expect(readdirSync(data)).toEqual([]);
});

test('nothing is read from or written to a data directory that is a link', () => {
  const { data } = place();
  const elsewhere = temporaryDirectory();
  symlinkSync(elsewhere, data, 'junction');
  for (const work of [readOrMakeToken, readToken, replaceToken, readOrMakeSecret]) {
    expect(failureOf(() => work(data, platform))).toContain('is a symbolic link');
  }
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('a file that cannot be written is named, with the reason of the system', () => {
  const { data, file } = place();
  writeFileSync(join(data, '..', 'plain'), '');
  const nowhere = join(data, '..', 'plain', 'data');
  expect(failureOf(() => replaceToken(nowhere, platform))).toContain(
    `${join(nowhere, 'http-token')} cannot be written: `,
  );
  mkdirSync(file, { recursive: true, mode: 0o700 });
  expect(failureOf(() => replaceToken(data, platform))).toContain(`${file} cannot be written: `);
});
