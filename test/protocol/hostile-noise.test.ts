// @module-tag hostile
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgent, text } from '../support/agents.js';
import { residentMb } from '../support/bare-client.js';
import { devToolbox } from '../support/configs.js';
import { expectNotHeldUp, hostile, reached, type Way, ways } from '../support/hostile.js';
import { endHosts, runnerOf } from '../support/hosts.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

/** The result of an attack during calls of another server. */
async function attacked(attack: string, args: object = {}, way: Way = 'stdio') {
  const config = devToolbox({ hostile: await reached(way, hostile(attack)), other: fixture() });
  const agent = await connectAgent('v2 modern', { config });
  await agent.open('dev');
  const before = residentMb(runnerOf(agent));
  const result = await expectNotHeldUp(agent, ['dev', 'other'], () => agent.use('dev', 'hostile', 'attack', args));
  return { agent, result, grownMb: residentMb(runnerOf(agent)) - before };
}

const logOf = (dir: string) => join(dir, 'home', '.local', 'state', 'mcp-workbench', 'logs', 'dev', 'hostile.log');

describe('a server that writes', { timeout: 120_000 }, () => {
  linuxOnly('memory in /proc');

  test('9,000 lines of garbage works, and its log has three of them and a number', async () => {
    const { agent, result } = await attacked('garbage-lines', { lines: 9_000 });
    expect(text(result)).toBe('done');
    await until(() => agent.stderr().match(/ignored (?:an event of )?7 bytes/g)?.length === 3);
    await agent.close();
    await endHosts();
    await until(() =>
      /8997 more like this: ignored (?:an event of )?7 bytes/.test(readFileSync(logOf(agent.dir), 'utf8')),
    );
  });

  test.each(ways)(
    '100,000 lines of garbage over %s is ended with the reason, delays no other server and may be used again',
    async (way) => {
      const { agent, result } = await attacked('garbage-lines', {}, way);
      expect(text(result)).toMatch(/it (?:wrote 10000 lines|sent 10000 events) that are not JSON-RPC messages/);
      await until(() => agent.stderr().match(/ignored (?:an event of )?7 bytes/g)?.length === 4);
      expect(text(await agent.use('dev', 'hostile', 'echo', { a: 1 }))).toBe('{"a":1}');
    },
  );

  test.each(ways)('one line of 300 MB over %s delays no other server and takes no memory', async (way) => {
    const { agent, result, grownMb } = await attacked('long-line', {}, way);
    expect(text(result)).toBe('done');
    expect(grownMb).toBeLessThan(100);
    await until(() => agent.stderr().match(/is over the limit maxMessageBytes/g)?.length === 1);
  });

  test.each(ways)(
    'a result of 60 MB over %s delays no other server, takes no memory and fails by its limit',
    async (way) => {
      const { result, grownMb } = await attacked('large-message', {}, way);
      expect(text(result)).toMatch(/its result of 600000\d\d bytes is over the limit maxResultBytes \(9437184\)/);
      expect(grownMb).toBeLessThan(100);
    },
  );

  test.each([
    ['message-flood', 'stdio'],
    ['message-flood', 'HTTP'],
    ['stderr-flood', 'stdio'],
  ] as const)('a %s over %s delays no other server', async (attack, way) => {
    const { result, grownMb } = await attacked(attack, {}, way);
    expect(text(result)).toBe('done');
    expect(grownMb).toBeLessThan(150);
  });

  test('lines like ours into its log or an error is shown as what it is', async () => {
    const { agent, result } = await attacked('forged-log');
    for (const hidden of ['\u001B', '\u202E']) expect(text(result)).not.toContain(hidden);
    await agent.close();
    await endHosts();
    const log = await until(() => {
      const content = readFileSync(logOf(agent.dir), 'utf8');
      return content.includes('stopped') && content;
    });
    const lines = log.trimEnd().split('\n');
    const stamped = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (\||workbench:) /;
    for (const line of lines) expect(line).toMatch(stamped);
    const forged = lines.filter((line) => line.includes('forged'));
    expect(forged.length).toBeGreaterThan(0);
    for (const line of forged) expect(line).toMatch(/^\S+ \| /);
    for (const line of agent.stderr().trimEnd().split('\n')) expect(line).not.toMatch(/^mcp-workbench info: forged/);
  });
});
