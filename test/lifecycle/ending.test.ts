import { expect, test } from 'vitest';
import { connectAgent, opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { descriptorsOf, endWatched, startCrowd } from '../support/ending.js';
import { runnerOf } from '../support/hosts.js';
import { linuxOnly } from '../support/platform.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

linuxOnly('ulimit, processes in /proc');

const stubborn = () => fixture('--ignore-eof', '--ignore-sigterm');
const servers = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [`server-${index}`, stubborn()] as const));

const pidsOf = (marker: string) => new Set(processesWith(marker).map(({ pid }) => pid));

test('ending twenty stubborn servers opens no more files than were open, however many processes run', {
  timeout: 60_000,
}, async () => {
  const workbench = startWorkbench({ config: devToolbox(servers(20)), limit: '-n 256' });
  await initialize(workbench);
  const { result } = await workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  expect(opened(result as never).servers_connected).toBe(20);
  await startCrowd(300);
  const runner = runnerOf(workbench);
  const before = descriptorsOf(runner);
  expect((await endWatched(runner)).descriptors).toBeLessThan(before + 20);
  expect(processesWith(workbench.marker).filter(({ pid }) => pid !== workbench.pid)).toEqual([]);
});

test('with few descriptors, idle stubborn servers are ended, and no call fails because others are being ended', {
  timeout: 60_000,
}, async () => {
  await startCrowd(300);
  const sleepy = (...flags: string[]) => ({ ...fixture(...flags), idleTimeoutMs: 200 });
  const config = devToolbox({
    one: sleepy('--ignore-eof', '--ignore-sigterm', '--helper', 'setsid'),
    two: sleepy('--ignore-eof', '--helper', 'setsid'),
    other: sleepy(),
  });
  const agent = await connectAgent('v2 modern', { config, limit: '-n 256' });
  const over = new AbortController();
  // A server that starts and ends repeatedly while the stubborn ones are being ended.
  const others = (async () => {
    for (let count = 0; !over.signal.aborted; count++) {
      expect(text(await agent.use('dev', 'other', 'echo', { count }))).toBe(JSON.stringify({ count }));
      await until(() => agent.stderr().match(/dev\/other: idle/g)?.length === count + 1);
    }
  })();
  for (let round = 0; round < 2; round++) {
    const before = pidsOf(agent.marker);
    await Promise.all(['one', 'two'].map((name) => agent.use('dev', name, 'echo')));
    const started = processesWith(agent.marker).filter(({ pid }) => !before.has(pid));
    const stubbornOnes = started.filter(({ command }) => /ignore-eof|sleep 3600/.test(command));
    expect(stubbornOnes).toHaveLength(4);
    await until(() => {
      const left = pidsOf(agent.marker);
      return !stubbornOnes.some(({ pid }) => left.has(pid));
    });
  }
  over.abort();
  await others;
});
