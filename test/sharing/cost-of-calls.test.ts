import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { call, hostOf, shareSessions } from '../support/shared.js';
import { startHostWith } from '../support/started-host.js';
import { until } from '../support/until.js';

linuxOnly('counts processes in /proc');

// What a call costs in the two processes that it goes through, in counts: they are the same however busy the machine is.

const counter = new URL('../fixtures/count-work.mjs', import.meta.url);
const many = 100;

type Counts = Readonly<Record<string, number>>;

/** The work of a session and of its host, with a call and so many more. */
async function workOf(count: number, tool: string, args: object): Promise<{ front: Counts; host: Counts }> {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const [ofFront, ofHost] = [join(shared.dir, 'front.json'), join(shared.dir, 'host.json')];
  const host = startHostWith(counter, { ...shared, env: { COUNT_WORK_TO: ofHost } });
  const ended = once(host, 'exit');
  await until(() => existsSync(shared.socket));
  const session = await shared.start({ env: { NODE_OPTIONS: `--import=${counter.href}`, COUNT_WORK_TO: ofFront } });
  await call(session, 'echo');
  for (let done = 0; done < count; done++) await call(session, tool, args);
  expect(hostOf(shared).pid).toBe(host.pid);
  session.end();
  await session.exited;
  host.kill('SIGTERM');
  await ended;
  return { front: JSON.parse(readFileSync(ofFront, 'utf8')), host: JSON.parse(readFileSync(ofHost, 'utf8')) };
}

/** The work of one call: that of many, less that without them. */
async function perCall(tool: string, args: object) {
  const [idle, busy] = [await workOf(0, tool, args), await workOf(many, tool, args)];
  const each = (side: 'front' | 'host') => (what: string) => ((busy[side][what] ?? 0) - (idle[side][what] ?? 0)) / many;
  return { front: each('front'), host: each('host') };
}

test('the session parses only what the agent sends, the host only what it gets, and each writes once per hop', async () => {
  const { front, host } = await perCall('echo', { text: 'x'.repeat(100) });
  expect(front('parsed')).toBeCloseTo(1, 0);
  expect(front('writes')).toBeCloseTo(2, 0);
  expect(host('parsed')).toBeCloseTo(2, 0);
  expect(host('writes')).toBeCloseTo(2, 0);
  // The agent's id: its request is passed on as it wrote it.
  expect(front('written')).toBeCloseTo(1, 0);
  expect(host('written')).toBeCloseTo(2, 0);
});

test('a large result is neither parsed nor serialised on its way through host and session', async () => {
  const { front, host } = await perCall('blob', { bytes: 100_000 });
  for (const side of [front, host]) {
    expect(side('parsedChars')).toBeLessThan(1_500);
    expect(side('writtenChars')).toBeLessThan(1_500);
  }
});
