import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { temporaryDirectory } from '../support/launch.js';
import { fixture } from '../support/servers.js';
import { startSharedEngine, textOf } from '../support/shared-engine.js';
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
