import { chmodSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { posixOnly } from '../../../test/support/platform.js';
import { isShown, showProof } from './proof.js';

const word = 'a-b_C0d9';

/** As on systems where no process can see the name of another. */
function ownDirectory(): string {
  return join(mkdtempSync(join(tmpdir(), 'proof-')), 'mcp-workbench');
}

test('a proof in a file counts once, and nothing is left of it', () => {
  const directory = ownDirectory();
  const takeBack = showProof(word, directory);
  expect(isShown(process.pid, 'another0', directory)).toBe(false);
  expect(isShown(process.pid, word, directory)).toBe(true);
  expect(isShown(process.pid, word, directory)).toBe(false);
  takeBack();
  expect(readdirSync(directory)).toEqual([]);
});

test('a proof that is taken back does not count', () => {
  const directory = ownDirectory();
  showProof(word, directory)();
  expect(isShown(process.pid, word, directory)).toBe(false);
});

test('a link is no proof, nor a file where others can write', () => {
  posixOnly('links, and the mode of a directory');
  const directory = ownDirectory();
  showProof(word, directory)();
  writeFileSync(join(directory, 'elsewhere'), word);
  symlinkSync('elsewhere', join(directory, `session-${word}`));
  expect(isShown(process.pid, word, directory)).toBe(false);
  showProof(word, directory);
  chmodSync(directory, 0o777);
  expect(isShown(process.pid, word, directory)).toBe(false);
});

test.each(['', '../../a1', 'a/b/c/d0', 'longer-than-eight', 'abcdefg\0'])(
  'nothing is shown for %j, which no host asks for',
  (other) => {
    expect(() => showProof(other, ownDirectory())).toThrow('not what a host asks for');
  },
);

test.runIf(process.platform === 'linux')('on Linux the name of the process is the proof, and is restored', () => {
  const name = () => readFileSync('/proc/self/comm', 'utf8');
  const before = name();
  const takeBack = showProof(word);
  expect([isShown(process.pid, word), isShown(process.ppid, word)]).toEqual([true, false]);
  takeBack();
  expect([isShown(process.pid, word), name()]).toEqual([false, before]);
});
