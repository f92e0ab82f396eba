// @module-tag slow

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Agent, flavours, opened, statsOf, text } from '../support/agents.js';
import { type CallLog, callLog } from '../support/call-log.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { combinations, flavourOf, serverOf } from '../support/forwarding.js';
import { connectAgent, endEngine } from '../support/in-process.js';
import { temporaryDirectory } from '../support/launch.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';

const handshakes = (log: CallLog) =>
  log
    .entries()
    .map(({ method }) => method)
    .filter((method) => ['start', 'server/discover', 'initialize'].includes(method ?? ''));

/** Starts a new workbench with the same home, and uses the server once. */
async function useOnce(home: string, server: ServerEntry): Promise<{ agent: Agent; answer: string }> {
  const env = { HOME: home, XDG_CACHE_HOME: join(home, 'cache') };
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: server }), env });
  const answer = text(await agent.use('dev', 'any', 'echo', { a: 1 }));
  await agent.close();
  await endEngine();
  return { agent, answer };
}

const memoryOf = (home: string) => join(home, 'cache', 'mcp-workbench', 'eras.json');
const remembered = (home: string): Record<string, number> => JSON.parse(readFileSync(memoryOf(home), 'utf8'));

test.each(combinations)('a $agent agent works with a $server server, started once', async ({ agent: era, server }) => {
  const log = callLog();
  const agent = await connectAgent(flavourOf(era), {
    config: devToolbox({ any: serverOf(server, '--log', log.path) }),
  });
  expect(opened(await agent.open('dev')).servers_connected).toBe(1);
  expect(text(await agent.use('dev', 'any', 'echo', { a: 1 }))).toBe('{"a":1}');
  const { initialize, discover } = await statsOf(agent, 'dev', 'any');
  expect({ initialize, discover }).toEqual({ initialize: server === 'legacy' ? 1 : 0, discover: 1 });
  expect(log.methods('start')).toHaveLength(1);
});

test.each(flavours)('a %s client works with servers of both eras at once', async (flavour) => {
  const agent = await connectAgent(flavour, { config: devToolbox({ old: fixture(), new: fixture('--modern') }) });
  expect(opened(await agent.open('dev')).servers_connected).toBe(2);
  for (const server of ['old', 'new']) expect(text(await agent.use('dev', server, 'echo', { a: 1 }))).toBe('{"a":1}');
});

describe('a server of an older revision', () => {
  test('that exits when it is probed is started again, once, and not probed the next time', async () => {
    const home = temporaryDirectory();
    const log = callLog();
    const server = fixture('--on-probe', 'exit', '--log', log.path);
    expect((await useOnce(home, server)).answer).toBe('{"a":1}');
    expect(handshakes(log)).toEqual(['start', 'server/discover', 'start', 'initialize']);
    expect((await useOnce(home, server)).answer).toBe('{"a":1}');
    expect(handshakes(log).slice(4)).toEqual(['start', 'initialize']);
  });

  test('that does not answer the probe is served by the same process, and not probed the next time', async () => {
    const home = temporaryDirectory();
    const log = callLog();
    const server = fixture('--on-probe', 'silence', '--log', log.path);
    expect((await useOnce(home, server)).answer).toBe('{"a":1}');
    expect(handshakes(log)).toEqual(['start', 'server/discover', 'initialize']);
    expect((await useOnce(home, server)).answer).toBe('{"a":1}');
    expect(handshakes(log).slice(3)).toEqual(['start', 'initialize']);
  });

  test('is remembered in the cache of the user, without the contents of its entry', async () => {
    posixOnly('file modes');
    const home = temporaryDirectory();
    await useOnce(home, fixture('--name', 'a-secret-in-the-arguments'));
    const file = memoryOf(home);
    expect(Object.values(remembered(home))).toEqual([expect.closeTo(Date.now(), -5)]);
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // No partial file beside it; `tools` is the cache of listings.
    expect(readdirSync(join(file, '..')).filter((name) => name !== 'tools')).toEqual(['eras.json']);
  });

  test('is probed again after a week', async () => {
    const home = temporaryDirectory();
    const log = callLog();
    const server = fixture('--log', log.path);
    await useOnce(home, server);
    const [key = ''] = Object.keys(remembered(home));
    writeFileSync(memoryOf(home), JSON.stringify({ [key]: Date.now() - 8 * 24 * 3_600_000 }));
    await useOnce(home, server);
    expect(handshakes(log).slice(3)).toEqual(['start', 'server/discover', 'initialize']);
    expect(remembered(home)[key]).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe('a server that was updated to 2026-07-28', () => {
  test.each(['answer', 'error'])('is served when initialize gets an %s', async (reaction) => {
    const home = temporaryDirectory();
    const log = callLog();
    // The same command and arguments: the environment decides the behaviour of the server.
    const entry = fixture('--log', log.path);
    await useOnce(home, entry);
    const upgraded = { ...entry, env: { SCRIPTED_SERVER: `--modern --on-initialize ${reaction}` } };
    expect((await useOnce(home, upgraded)).answer).toBe('{"a":1}');
    const again = handshakes(log).slice(3);
    if (reaction === 'answer') expect(again).toEqual(['start', 'initialize']);
    else {
      expect(again).toEqual(['start', 'initialize', 'start', 'server/discover']);
      expect(Object.keys(remembered(home))).toEqual([]);
    }
  });

  test('and does not answer initialize is probed at the next start', async () => {
    const home = temporaryDirectory();
    const log = callLog();
    const entry = { ...fixture('--log', log.path), startTimeoutMs: 5_000 };
    await useOnce(home, { ...entry, startTimeoutMs: 20_000 });
    const upgraded = { ...entry, env: { SCRIPTED_SERVER: '--modern --on-initialize silence' } };
    expect((await useOnce(home, upgraded)).answer).toContain('it was not ready within 5000 ms');
    expect((await useOnce(home, { ...upgraded, startTimeoutMs: 20_000 })).answer).toBe('{"a":1}');
    expect(handshakes(log).slice(3)).toEqual(['start', 'initialize', 'start', 'server/discover']);
  });
});

describe('the setting `protocol`', () => {
  test('legacy: the server is not probed, even if it supports more, and nothing is remembered', async () => {
    const home = temporaryDirectory();
    const log = callLog();
    const server = { ...fixture('--modern', '--log', log.path), protocol: 'legacy' };
    expect((await useOnce(home, server)).answer).toBe('{"a":1}');
    expect(handshakes(log)).toEqual(['start', 'initialize']);
    expect(existsSync(memoryOf(home))).toBe(false);
  });

  test('2026-07-28: initialize is not sent', async () => {
    const home = temporaryDirectory();
    const [modern, legacy] = [callLog(), callLog()];
    const served = { ...fixture('--modern', '--log', modern.path), protocol: '2026-07-28' };
    expect((await useOnce(home, served)).answer).toBe('{"a":1}');
    expect(handshakes(modern)).toEqual(['start', 'server/discover']);
    const refused = { ...fixture('--log', legacy.path), protocol: '2026-07-28' };
    expect((await useOnce(home, refused)).answer).toMatch(/^Failed to connect to server 'any' in toolbox 'dev': /);
    expect(handshakes(legacy)).toEqual(['start', 'server/discover']);
  });
});

describe('a server that supports 2026-07-28 but starts after the probe timed out', () => {
  test('is served, and not remembered as legacy', async () => {
    const home = temporaryDirectory();
    const log = callLog();
    const server = fixture('--modern', '--start-delay', 4_000, '--log', log.path);
    expect((await useOnce(home, server)).answer).toBe('{"a":1}');
    expect(log.methods('start')).toHaveLength(1);
    expect(existsSync(memoryOf(home)) ? Object.keys(remembered(home)) : []).toEqual([]);
  });

  test('is served even if it supports nothing else', async () => {
    const log = callLog();
    const server = fixture('--modern', '--on-initialize', 'error', '--start-delay', 4_000, '--log', log.path);
    expect((await useOnce(temporaryDirectory(), server)).answer).toBe('{"a":1}');
    expect(handshakes(log)).toEqual(['start', 'server/discover', 'initialize', 'start', 'server/discover']);
  });

  test('is probed without that limit if `protocol` is 2026-07-28', async () => {
    const log = callLog();
    const server = { ...fixture('--modern', '--start-delay', 4_000, '--log', log.path), protocol: '2026-07-28' };
    expect((await useOnce(temporaryDirectory(), server)).answer).toBe('{"a":1}');
    expect(handshakes(log)).toEqual(['start', 'server/discover']);
  });
});
