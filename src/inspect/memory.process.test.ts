import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { posixOnly } from '../../test/support/platform.js';
import { until } from '../../test/support/until.js';
import { memoryOf } from './memory.js';

posixOnly('there are no process groups');

/** A leader of a group that does nothing, with so many children. */
function startGroup(children: number): number {
  const code = `for (let i = 0; i < ${children}; i++) require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' }); setInterval(() => {}, 1e6)`;
  const { pid = 0 } = spawn(process.execPath, ['-e', code], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
  return pid;
}

test.each([[process.platform], ['with ps']])(
  '%s: a group is counted with all its processes, and only if it is asked for',
  async (platform) => {
    const [alone, parent, other] = [startGroup(0), startGroup(2), startGroup(0)];
    const used = await until(
      async () => {
        const found = await memoryOf(new Set([alone, parent]), platform);
        return (found.get(parent) ?? 0) > 2 * (found.get(alone) ?? Number.POSITIVE_INFINITY) && found;
      },
      { what: 'three processes in one group' },
    );
    expect(used.get(alone)).toBeGreaterThan(1_000_000);
    expect(used.has(other)).toBe(false);
  },
);

test('nothing is measured where nothing runs, or nothing can be', async () => {
  expect(await memoryOf(new Set(), process.platform)).toEqual(new Map());
  expect(await memoryOf(new Set([2 ** 30]), process.platform)).toEqual(new Map());
  expect(await memoryOf(new Set([process.pid]), 'win32')).toEqual(new Map());
});
