import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { OpenToolboxResult } from '../../src/contract/types.js';
import { opened } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

linuxOnly('processes in /proc');

const timeout = 180_000;
const openTimeoutMs = 5_000;

interface Opening {
  readonly tookMs: number;
  readonly answer: OpenToolboxResult;
}

/** Opens a toolbox and measures how long the agent waits. */
async function open(servers: ReadonlyMap<string, ServerEntry>): Promise<Opening> {
  const workbench = startWorkbench({ config: { ...devToolbox(servers), openTimeoutMs } });
  await initialize(workbench);
  // What belongs to the start of the workbench is over.
  await wait(500);
  const begun = performance.now();
  const params = { name: 'open_toolbox', arguments: { toolbox: 'dev' } };
  workbench.send({ id: 'open', method: 'tools/call', params });
  await until(() => workbench.lines.some((line) => line.includes('"open"')), { withinMs: timeout });
  const tookMs = performance.now() - begun;
  const { result } = await workbench.answerTo('open');
  const answer = opened(result as never);
  console.log(`${servers.size} servers: ${Math.round(tookMs)} ms, ${answer.servers_connected} connected`);
  return { tookMs, answer };
}

const many = (count: number, name: string, entry: ServerEntry) =>
  Array.from({ length: count }, (_, index) => [`${name}-${index}`, entry] as const);

describe('a toolbox of servers that keep the machine busy while they start', () => {
  const busy = fixture('--busy', 2_500, '--stderr', 'loading', '--tools', 'echo');

  test('20 of them are answered within openTimeoutMs and a tenth', { timeout }, async () => {
    const { tookMs } = await open(new Map(many(20, 'busy', busy)));
    expect(tookMs).toBeLessThan(openTimeoutMs * 1.1);
  });

  test('20 of them beside 5 others, too', { timeout }, async () => {
    const quick = fixture('--tool-count', 20);
    const { tookMs, answer } = await open(new Map([...many(5, 'quick', quick), ...many(20, 'busy', busy)]));
    expect(tookMs).toBeLessThan(openTimeoutMs * 1.1);
    expect(answer.servers_connected).toBeGreaterThan(0);
  });

  test('60 of them, too', { timeout }, async () => {
    const { tookMs, answer } = await open(new Map(many(60, 'busy', busy)));
    expect(tookMs).toBeLessThan(openTimeoutMs * 1.1);
    expect(answer.starting?.length).toBeGreaterThan(0);
  });
});
