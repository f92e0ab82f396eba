import { expect, test } from 'vitest';
import { importsFromDirectory } from './python.js';

test.each([
  ['python', '-m', 'mod'],
  ['/usr/bin/python3.12', '-u', '-m', 'a.b'],
  ['python3', '-mmod'],
  ['python3', '-X', 'utf8', '-um', 'mod'],
  ['pythonw', '-Ximporttime', '-m', 'mod'],
  ['py', '-3', '-m', 'mod'],
  ['python3', '-c', 'import mod'],
  ['uv', 'run', 'python', '-m', 'mod'],
  ['sh', '-c', 'exec python3 -m mod'],
])('%s %s … imports modules from its working directory', (...line) => {
  expect(importsFromDirectory(line)).toBe(true);
});

test.each([
  ['python', 'script.py', '-m', 'mod'],
  ['python3', '-Wdefault::mine', 'script.py'],
  ['python', '--version'],
  ['node', '-m', 'mod'],
])('%s %s … does not import modules from its working directory', (...line) => {
  expect(importsFromDirectory(line)).toBe(false);
});
