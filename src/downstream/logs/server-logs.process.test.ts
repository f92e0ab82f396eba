import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { posixOnly } from '../../../test/support/platform.js';
import { createServerLogs } from './server-logs.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'workbench-logs-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const contentOf = (toolbox: string, name: string) =>
  readFileSync(path.join(directory, toolbox, `${name}.log`), 'utf8').replaceAll(/^\S+ /gm, '');

test('a flush writes what every server wrote, without waiting for a timer', async () => {
  const logs = createServerLogs(directory);
  const servers = Array.from({ length: 20 }, (_, i) => ({ toolbox: `box${i % 3}`, name: `server${i}` }));
  for (const server of servers) logs.of(server).write(`from ${server.name}`);
  expect(readdirSync(directory)).toEqual([]);
  await logs.flush();
  for (const { toolbox, name } of servers) expect(contentOf(toolbox, name)).toBe(`from ${name}\n`);
});

test('one server has one log, also where names could be confused', async () => {
  const logs = createServerLogs(directory);
  expect(logs.of({ toolbox: 'a', name: 'b' })).toBe(logs.of({ toolbox: 'a', name: 'b' }));
  for (const [toolbox, name] of [
    ['a', 'b,c'],
    ['a,b', 'c'],
    ['__proto__', '__proto__'],
  ] as const)
    logs.of({ toolbox, name }).write(`${toolbox} and ${name}`);
  await logs.flush();
  expect(contentOf('a', 'b%2Cc')).toBe('a and b,c\n');
  expect(contentOf('a%2Cb', 'c')).toBe('a,b and c\n');
  expect(contentOf('__proto__', '__proto__')).toBe('__proto__ and __proto__\n');
});

test('a line written during a flush is written by the next', async () => {
  const logs = createServerLogs(directory);
  const log = logs.of({ toolbox: 't', name: 's' });
  log.write('first');
  const flushed = logs.flush();
  log.write('second');
  await flushed;
  await logs.flush();
  expect(contentOf('t', 's')).toBe('first\nsecond\n');
});

test('a FIFO in place of a log holds up nothing', async () => {
  posixOnly('mkfifo');
  mkdirSync(path.join(directory, 't'));
  // More than Node's pool has threads.
  const blocked = Array.from({ length: 8 }, (_, i) => `blocked${i}`);
  const files = blocked.map((name) => path.join(directory, 't', `${name}.log`));
  execFileSync('/bin/sh', ['-c', 'mkfifo "$@"', 'mkfifo', ...files]);
  const logs = createServerLogs(directory);
  for (const name of blocked) logs.of({ toolbox: 't', name }).write('nobody reads this');
  logs.of({ toolbox: 't', name: 'ordinary' }).write('read me');
  await logs.flush();
  expect(contentOf('t', 'ordinary')).toBe('read me\n');
});

test('without a directory nothing is written', async () => {
  const logs = createServerLogs(undefined);
  logs.of({ toolbox: 't', name: 's' }).write('x');
  await logs.flush();
  expect(readdirSync(directory)).toEqual([]);
});
