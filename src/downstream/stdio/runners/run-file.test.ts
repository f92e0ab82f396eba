import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/launch.js';
import { interpreterOf, programFrom } from './run-file.js';

test.each([
  ['#!/usr/bin/env node\nx', ['node', 'LINK']],
  ['#! /usr/bin/env  node\n', ['node', 'LINK']],
  ['#!/usr/bin/env -S node --no-warnings --import=./x.js\n', ['node', '--no-warnings', '--import=./x.js', 'LINK']],
  ['#!/usr/bin/node --enable-source-maps\n', ['/usr/bin/node', '--enable-source-maps', 'LINK']],
  // The system would pass on both as one word, and `env` would look for a program of that name.
  ['#!/usr/bin/node --a --b\n', ['LINK']],
  ['#!/usr/bin/env node --a\n', ['LINK']],
  ['#!/usr/bin/env -S node "--a b"\n', ['LINK']],
  ['#!/usr/bin/env -S A=1 node\n', ['LINK']],
  ['#!/usr/bin/env bun\n', ['LINK']],
  ['#!/bin/sh\n', ['LINK']],
  ['#!/usr/bin/env node\r\n', ['node', 'LINK']],
  ['\u007FELF\u0000\u0001', ['LINK']],
  ['echo hello\n', ['/bin/sh', 'LINK']],
  ['', ['LINK']],
])('a file that starts with %j is run by %j', (start, expected) => {
  expect(interpreterOf(Buffer.from(start, 'latin1'), 'LINK', 'linux')).toEqual(expected);
});

test('the variables of an entry go before those of npm, and these before those of the computer', async () => {
  const file = join(temporaryDirectory(), 'program');
  writeFileSync(file, '#!/usr/bin/env node\n');
  const facts = { spec: 'x', name: 'x', version: '1.0.0', directory: '/x', program: file, file, npmrcs: [], at: 0 };
  const variables = { EDITOR: 'vi', NODE: '/npm/node', COLOR: '0' };
  const own = new Map([
    ['EDITOR', 'mine'],
    ['COLOR', '1'],
  ]);
  const env = new Map([['NODE', '/other'], ...own]);
  const place = { env, cwd: '/', platform: 'linux' };
  const program = await programFrom({ ...facts, variables, paths: ['/bin'] }, [], { cwd: undefined, env: own }, place);
  expect(Object.fromEntries(program.env)).toMatchObject({ EDITOR: 'mine', COLOR: '1', NODE: '/npm/node' });
});
