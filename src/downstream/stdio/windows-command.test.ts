import { expect, test } from 'vitest';
import { findWindowsCommand } from './windows-command.js';

const files = new Set([
  'C:\\node\\npx',
  'C:\\node\\npx.cmd',
  'C:\\node\\node.exe',
  'C:\\Windows\\System32\\cmd.exe',
  // In the working directory.
  'node.exe',
  '.\\node.exe',
  'git.exe',
  'bin\\git.exe',
  '\\tools\\git.exe',
  'C:git.exe',
]);
const find = (command: string, env: Record<string, string>) =>
  findWindowsCommand(command, new Map(Object.entries(env)), (file) =>
    files.has(file.replace(/\.CMD$|\.EXE$/, (end) => end.toLowerCase())),
  );

test('a command is looked up in PATH, with the endings of PATHEXT', () => {
  const env = { Path: 'C:\\Windows;"C:\\node"', PATHEXT: '.EXE;.CMD' };
  expect(find('npx', env)).toBe('C:\\node\\npx.CMD');
  expect(find('node', env)).toBe('C:\\node\\node.EXE');
  expect(find('node.exe', env)).toBe('C:\\node\\node.exe');
  expect(find('node', { PATH: 'C:\\node' })).toBe('C:\\node\\node.EXE');
});

test('never in the working directory, whatever PATH says', () => {
  for (const PATH of ['', '.', 'bin', '\\tools', 'C:', ';;', 'C:\\Windows;.;bin']) {
    expect(find('git', { PATH })).toBeUndefined();
    expect(find('git.exe', { PATH })).toBeUndefined();
  }
  expect(find('git', {})).toBeUndefined();
});

test('a command with a path is taken as it is written', () => {
  for (const command of ['.\\server.exe', 'bin/server', 'C:\\x\\y.exe']) expect(find(command, {})).toBe(command);
});
