import { expect, test } from 'vitest';
import { interpreterOf } from './run-file.js';

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
