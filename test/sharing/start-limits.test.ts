import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { temporaryDirectory } from '../support/launch.js';
import { fixture } from '../support/servers.js';
import { type SharedAgent, startSharedEngine, textOf } from '../support/shared-engine.js';
import { until } from '../support/until.js';

// The handshake of the first one alone would have failed long before the last.
const limits = [500, 60_000, 4_000];

test.each([
  ['shortest', [0, 2, 1]],
  ['longest', [1, 0, 2]],
])(
  'sessions that share a start which the one with the %s limit has begun each wait as long as their own startTimeoutMs says',
  async (_, order) => {
    const { open } = startSharedEngine();
    const log = callLog();
    const mayStart = join(temporaryDirectory(), 'may-start');
    const server = fixture('--start-when', mayStart, '--log', log.path);
    const agents = await Promise.all(
      limits.map((startTimeoutMs) => open({ servers: { any: { ...server, startTimeoutMs } } })),
    );
    // The first one starts it.
    for (const at of order) agents[at]?.begin(1, 'echo', { text: 'here' });
    const answer = (at: number) => until(() => agents[at]?.received.find(({ id }) => id === 1));
    for (const at of [0, 2])
      expect(textOf(await answer(at))).toContain(`it was not ready within ${limits[at]} ms (startTimeoutMs)`);
    writeFileSync(mayStart, '');
    expect(textOf(await answer(1))).toBe('{"text":"here"}');
    expect(textOf((await agents[0]?.call(2, 'echo', { text: 'again' })) ?? {})).toBe('{"text":"again"}');
    expect(log.methods('start')).toHaveLength(1);
  },
);

test('sessions that join while the first one lists the tools each wait as long as their own startTimeoutMs says', async () => {
  const { open } = startSharedEngine();
  const log = callLog();
  const mayList = join(temporaryDirectory(), 'may-list');
  const server = fixture('--list-when', mayList, '--log', log.path);
  const begin = async (startTimeoutMs: number) => {
    const agent = await open({ servers: { any: { ...server, startTimeoutMs } } });
    agent.begin(1, 'echo', { text: 'here' });
    return agent;
  };
  const first = await begin(6_000);
  await until(() => log.methods('tools/list').length === 1);
  const [longest, later, shortest] = [await begin(60_000), await begin(8_000), await begin(500)];
  const answer = ({ received }: SharedAgent) => until(() => received.find(({ id }) => id === 1));
  // The last of these long after the first one, with whose limit the listing began.
  for (const [agent, limitMs] of [
    [shortest, 500],
    [first, 6_000],
    [later, 8_000],
  ] as const)
    expect(textOf(await answer(agent))).toContain(`it was not ready within ${limitMs} ms (startTimeoutMs)`);
  writeFileSync(mayList, '');
  expect(textOf(await answer(longest))).toBe('{"text":"here"}');
  expect(textOf(await first.call(2, 'echo', { text: 'again' }))).toBe('{"text":"again"}');
  expect(log.methods('start')).toHaveLength(1);
});

test('a changed list that a server does not give is waited for no longer than a start may take', async () => {
  const { open } = startSharedEngine();
  const mayList = join(temporaryDirectory(), 'may-list');
  writeFileSync(mayList, '');
  const entry = { ...fixture('--list-when', mayList), startTimeoutMs: 5_000, callTimeoutMs: 600_000 };
  const agent = await open({ servers: { any: entry } });
  expect(textOf(await agent.call(1, 'echo', { text: 'here' }))).toBe('{"text":"here"}');
  rmSync(mayList);
  await agent.call(2, 'list_changed');
  await until(() => agent.lines.some((line) => line.includes('dev/any: listing tools failed')));
});

test('a start that takes a while succeeds in every era', async () => {
  const { open } = startSharedEngine();
  for (const [flags, entry] of [
    [['--modern'], { protocol: '2026-07-28' }],
    [['--modern'], {}],
    [[], { protocol: 'legacy' }],
  ] as const) {
    const agent = await open({ servers: { any: { ...fixture('--start-delay', '300', ...flags), ...entry } } });
    expect(textOf(await agent.call(1, 'echo', { text: 'here' }))).toBe('{"text":"here"}');
  }
});
