import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { readTextFile } from './text-file.js';

const maxBytes = 1_000_000;

function fileOf(size: number): { path: string; text: string } {
  const path = join(temporaryDirectory(), 'file.json');
  const text = Array.from({ length: Math.ceil(size / 8) }, (_, index) => String(index).padStart(8)).join('');
  writeFileSync(path, text.slice(0, size));
  return { path, text: text.slice(0, size) };
}

test.each([0, 1, 65_535, 65_536, 65_537, 262_144, 262_145, 999_999, 1_000_000])(
  'a file of %i bytes is read whole',
  (size) => {
    const { path, text } = fileOf(size);
    expect(readTextFile(path, maxBytes)).toMatchObject({ kind: 'text', text });
  },
);

test.each([1_000_001, 2_000_000])('a file of %i bytes is too large', (size) => {
  expect(readTextFile(fileOf(size).path, maxBytes)).toEqual({ kind: 'invalid', problem: 'it is larger than 1 MB' });
});

test('a small file takes a small buffer', () => {
  const read = readTextFile(fileOf(100).path, 10_000_000);
  expect(read.kind === 'text' && read.bytes.buffer.byteLength).toBeLessThanOrEqual(65_536);
});
