import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { ownEditFileOf, readOwnEdit, recordOwnEdit } from './own-edits.js';

function setUp() {
  const home = temporaryDirectory();
  return { place: { env: {}, platform: process.platform, home }, file: join(home, 'workbench-config.json') };
}

test('an own edit is of one text of one file, with or without a byte order mark', () => {
  const { place, file } = setUp();
  expect(readOwnEdit(place, file)).toBeUndefined();
  recordOwnEdit(place, file, 'one', undefined, 5);
  const edit = readOwnEdit(place, file);
  expect(edit?.at).toBe(5);
  expect([edit?.isOf('one'), edit?.isOf('\uFEFFone'), edit?.isOf('two')]).toEqual([true, true, false]);
  recordOwnEdit(place, `${file}2`, 'one', undefined, 5);
  writeFileSync(ownEditFileOf(place, file), readFileSync(ownEditFileOf(place, `${file}2`)));
  expect(readOwnEdit(place, file)?.isOf('one')).toBe(false);
});

test('each own edit is later than the one before, also if the clock is not', () => {
  const { place, file } = setUp();
  recordOwnEdit(place, file, 'one', undefined, 5);
  recordOwnEdit(place, file, 'two', undefined, 3);
  expect(readOwnEdit(place, file)?.at).toBe(6);
});

test('an own edit cannot be made, dated anew or moved without the key', () => {
  const { place, file } = setUp();
  recordOwnEdit(place, file, 'one', undefined, 5);
  const record = ownEditFileOf(place, file);
  const { mac } = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, JSON.stringify({ version: 1, at: 9, mac }));
  expect(readOwnEdit(place, file)?.isOf('one')).toBe(false);
  writeFileSync(record, JSON.stringify({ version: 1, at: 5, mac: '0'.repeat(mac.length) }));
  expect(readOwnEdit(place, file)?.isOf('one')).toBe(false);
  writeFileSync(record, 'damaged');
  expect(readOwnEdit(place, file)).toBeUndefined();
  expect(readdirSync(join(record, '..'))).toContain('key');
});

test('an edit of a command counts from the text that it changed, also through the command before it', () => {
  const { place, file } = setUp();
  recordOwnEdit(place, file, 'two', 'one');
  recordOwnEdit(place, file, 'three', 'two');
  const own = readOwnEdit(place, file);
  expect(own?.isOf('three')).toBe(true);
  expect(['one', 'two', 'of somebody else', undefined].map((text) => own?.isFrom(text))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  recordOwnEdit(place, file, 'five', 'four');
  expect(readOwnEdit(place, file)?.isFrom('one')).toBe(false);
});

test('what a person has agreed to counts from any text', () => {
  const { place, file } = setUp();
  recordOwnEdit(place, file, 'two');
  expect(readOwnEdit(place, file)?.isFrom('of somebody else')).toBe(true);
});

test('an edit of a command counts from the last twenty texts that commands have changed', () => {
  const { place, file } = setUp();
  for (let count = 0; count < 22; count++) recordOwnEdit(place, file, `${count + 1}`, `${count}`);
  const own = readOwnEdit(place, file);
  expect(['0', '1', '2', '21', '22'].map((text) => own?.isFrom(text))).toEqual([false, false, true, true, false]);
});

test('the texts that a command has changed cannot be replaced without the key', () => {
  const { place, file } = setUp();
  recordOwnEdit(place, file, 'two', 'one');
  recordOwnEdit(place, `${file}2`, 'x', 'of somebody else');
  const [record, other] = [file, `${file}2`].map((one) => ownEditFileOf(place, one)) as [string, string];
  const { from } = JSON.parse(readFileSync(other, 'utf8'));
  writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), from }));
  const own = readOwnEdit(place, file);
  expect(own?.isFrom('of somebody else')).toBe(true);
  expect(own?.isOf('two')).toBe(false);
});
