import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryDirectory, underLimit } from '../../../test/support/launch.js';
import { linuxOnly } from '../../../test/support/platform.js';
import { bundleProgram } from '../../../test/support/program.js';
import { parseStat, walkProcesses } from './process-walk.js';

const stat = (name: string, state: string, threads: number) =>
  `10 (${name}) ${state} 1 42 10 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 ${threads} 0 9876 1 1 1`;

test.each([
  ['an ordinary one', stat('node', 'S', 7), { group: 42, isAlive: true, startTime: 9876 }],
  ['one with a name of any kind', stat('a) Z 1 (b', 'R', 1), { group: 42, isAlive: true, startTime: 9876 }],
  ['one that waits to be reaped', stat('sh', 'Z', 1), { group: 42, isAlive: false, startTime: 9876 }],
  ['one whose first thread has ended', stat('app', 'Z', 3), { group: 42, isAlive: true, startTime: 9876 }],
  ['one that is gone', '', undefined],
])('of %s the state is read', (_, text, expected) => {
  expect(parseStat(text)).toEqual(expected);
});

test('a walk finds every process, ours among them', async () => {
  linuxOnly('processes in /proc');
  const { groups, isComplete } = await walkProcesses(true);
  expect(isComplete).toBe(true);
  expect(groups.size).toBeGreaterThan(0);
});

test('a walk without a descriptor to spare is incomplete, and takes none that others hold', async () => {
  linuxOnly('ulimit, processes in /proc');
  const file = join(temporaryDirectory(), 'program.mjs');
  const program = `
    import { closeSync, openSync } from 'node:fs';
    import { walkProcesses } from './downstream/stdio/process-walk.js';
    const held = [];
    const fill = () => { try { for (;;) held.push(openSync('/dev/null')); } catch {} };
    fill();
    const none = await walkProcesses(true);
    closeSync(held.pop());
    const one = await walkProcesses(true);
    const before = held.length;
    fill();
    console.log(JSON.stringify([none.isComplete, one.isComplete, one.groups.size > 0, held.length - before]));
  `;
  writeFileSync(file, await bundleProgram(program));
  const [command = '', ...args] = underLimit('-n 64', [process.execPath, file]);
  const { stdout } = await promisify(execFile)(command, args);
  expect(JSON.parse(stdout)).toEqual([false, true, true, 1]);
});
