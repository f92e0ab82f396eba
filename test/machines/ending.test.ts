import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { opened } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { endWatched, startCrowd, type Usage } from '../support/ending.js';
import { runnerOf } from '../support/hosts.js';
import { linuxOnly } from '../support/platform.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

linuxOnly('ulimit, processes in /proc');

const timeout = 180_000;

interface Ending extends Usage {
  /** Until all servers are gone. */
  readonly tookMs: number;
}

/** Opens a toolbox of servers that ignore the end of stdin and SIGTERM, and ends what runs them beside other processes. */
async function endStubborn(servers: number, others: number, limit?: string): Promise<Ending> {
  const entries = Array.from({ length: servers }, (_, index) => {
    return [`server-${index}`, fixture('--ignore-eof', '--ignore-sigterm')] as const;
  });
  const config = { ...devToolbox(new Map(entries)), openTimeoutMs: 120_000, defaults: { startTimeoutMs: 120_000 } };
  const workbench = startWorkbench({ config, ...(limit !== undefined && { limit }) });
  await initialize(workbench);
  workbench.send({
    id: 'open',
    method: 'tools/call',
    params: { name: 'open_toolbox', arguments: { toolbox: 'dev', detail: 'names' } },
  });
  const { result } = await until(() => workbench.lines.some((line) => line.includes('"open"')), {
    withinMs: timeout,
  }).then(() => workbench.answerTo('open'));
  expect(opened(result as never).servers_connected).toBe(servers);
  await startCrowd(others);
  const started = processesWith(workbench.marker);
  expect(started).toHaveLength(servers + 1);
  const ofServers = started.filter(({ pid }) => pid !== workbench.pid);

  const begun = performance.now();
  const usage = endWatched(runnerOf(workbench));
  await until(() => !ofServers.some(({ pid }) => existsSync(`/proc/${pid}`)), { withinMs: timeout });
  const tookMs = performance.now() - begun;
  const ending = { ...(await usage), tookMs };
  console.log(`${servers} servers, ${others} others: ${JSON.stringify(ending)}`);
  return ending;
}

describe('stubborn servers', () => {
  test('120 of them beside 700 other processes are gone with us within 5.5 s', { timeout }, async () => {
    expect((await endStubborn(120, 700)).tookMs).toBeLessThan(5_500);
  });

  test('50 of them beside 1,000 other processes take fewer than 200 descriptors', { timeout }, async () => {
    expect((await endStubborn(50, 1_000, '-n 1024')).descriptors).toBeLessThan(200);
  });

  test('60 of them beside 700 other processes are ended with 256 descriptors', { timeout }, async () => {
    expect((await endStubborn(60, 700, '-n 256')).tookMs).toBeLessThan(5_500);
  });

  test('four times as many take no more than six times the processor time', { timeout }, async () => {
    const few = await endStubborn(30, 700);
    const many = await endStubborn(120, 700);
    // The walks cost the same for any number of servers, so that it is rather less than four times.
    expect(many.cpuMs / few.cpuMs).toBeLessThan(6);
  });
});
