import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { isGroupAlive, sendSignal, signalGroup, taskkillArguments } from '../../src/downstream/stdio/process-group.js';
import { linuxOnly } from '../support/platform.js';
import { until } from '../support/until.js';

linuxOnly('process groups, processes in /proc');

test('on Windows the whole tree of a process is ended without asking', () => {
  expect(taskkillArguments(4711)).toEqual(['/pid', '4711', '/T', '/F']);
});

test('where there is no taskkill, ending a tree fails in silence', async () => {
  await expect(signalGroup(2 ** 30, 'SIGKILL', 'win32')).resolves.toBeUndefined();
});

test('a signal reaches the whole group and no process outside of it', async () => {
  const leader = spawn('sh', ['-c', 'sleep 3600 & sleep 3600 & wait'], { detached: true, stdio: 'ignore' });
  const bystander = spawn('sleep', ['3600'], { stdio: 'ignore' });
  onTestFinished(() => void bystander.kill('SIGKILL'));
  const pid = leader.pid ?? 0;
  expect(await isGroupAlive(pid, 'linux')).toBe(true);
  await signalGroup(pid, 'SIGTERM', 'linux');
  await once(leader, 'exit');
  await until(async () => !(await isGroupAlive(pid, 'linux')));
  expect(sendSignal(bystander.pid ?? 0, 0)).toBe(true);
  expect(sendSignal(pid, 'SIGTERM')).toBe(false);
});
