import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { createProcessGroups } from '../../src/downstream/stdio/process-groups.js';
import { markVariable } from '../../src/downstream/stdio/process-walk.js';
import { sendSignal } from '../../src/downstream/stdio/signals.js';
import { linuxOnly } from '../support/platform.js';
import { until } from '../support/until.js';

linuxOnly('process groups, processes in /proc');

const groupOf = createProcessGroups('linux');

function start(script: string, mark = '') {
  const env = { ...process.env, [markVariable]: mark };
  const leader = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env });
  const pid = leader.pid ?? 0;
  const exited = once(leader, 'exit');
  onTestFinished(() => void sendSignal(-pid, 'SIGKILL'));
  let output = '';
  leader.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return {
    pid,
    exited,
    group: groupOf({ pid, mark, env: new Map(), exited }),
    numbers: (count: number) => until(() => output.split('\n').length > count && output.trim().split('\n').map(Number)),
  };
}

const isThere = (pid: number) => sendSignal(pid, 0);

test('a signal reaches the whole group and no process outside of it', async () => {
  const { pid, exited, group } = start('sleep 3600 & sleep 3600 & wait');
  const bystander = spawn('sleep', ['3600'], { stdio: 'ignore' });
  onTestFinished(() => void bystander.kill('SIGKILL'));
  expect(await group.isAlive()).toBe(true);
  await group.signal('SIGTERM');
  await exited;
  await until(async () => !(await group.isAlive()));
  expect(isThere(bystander.pid ?? 0)).toBe(true);
  expect(isThere(pid)).toBe(false);
});

test('a group is alive without its leader as long as one of its members is', async () => {
  const { exited, group, numbers } = start('sleep 3600 & echo $!');
  const [member = 0] = await numbers(1);
  await exited;
  expect(await group.isAlive()).toBe(true);
  sendSignal(member, 'SIGKILL');
  await until(async () => !(await group.isAlive()));
});

test('a zombie does not keep its group alive', async () => {
  const program = `
    const { pid } = require('node:child_process').spawn('true', { detached: true });
    require('node:fs').writeSync(1, pid + '\\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
  const parent = start(`exec "${process.execPath}" -e "${program}"`);
  const [pid = 0] = await parent.numbers(1);
  const group = groupOf({ pid, mark: '', env: new Map(), exited: Promise.resolve() });
  await until(async () => !(await group.isAlive()));
  expect(sendSignal(-pid, 0)).toBe(true);
});

test('a process that left the group is found by its mark and ended; one with another mark is not touched', async () => {
  const script = "setsid sh -c 'echo $$; exec sleep 3600' & wait";
  const [ours, others] = [start(script, 'one'), start(script, 'two')];
  const [[stray = 0], [other = 0]] = [await ours.numbers(1), await others.numbers(1)];
  onTestFinished(() => {
    for (const pid of [stray, other]) sendSignal(pid, 'SIGKILL');
  });
  await ours.group.endStrays();
  await until(() => !isThere(stray));
  expect(isThere(other)).toBe(true);
});
