// @module-tag hostile

import { describe, expect, test } from 'vitest';
import { text } from '../support/agents.js';
import { connectBare } from '../support/bare-client.js';
import { devToolbox } from '../support/configs.js';
import { hostile, modernHostile, reached } from '../support/hostile.js';
import { connectAgent } from '../support/in-process.js';
import { prepareLaunch } from '../support/launch.js';
import { fixture } from '../support/servers.js';

const inEra = { legacy: hostile, modern: modernHostile };

const servers = [
  ['legacy', 'stdio', 'v2 modern'],
  ['modern', 'HTTP', 'v2 legacy'],
] as const;

describe.each(servers)('a %s server over %s', (era, way, flavour) => {
  const serverThat = (...attacks: [string, ...string[]]) => reached(way, inEra[era](...attacks));

  async function connect(...attacks: [string, ...string[]]) {
    const client = connectBare(prepareLaunch({ config: devToolbox({ hostile: await serverThat(...attacks) }) }));
    await client.initialize();
    return client;
  }

  test('cannot answer for another with a carriage return inside a large result', async () => {
    const client = await connect('carriage-return');
    const answer = await client.use('dev', 'hostile', 'attack', { victim: 4711 });
    expect(answer.message.result?.content?.[0]?.text).toHaveLength(100_000);
    expect(answer.line.includes('\r')).toBe(false);
  });

  test.each([10, 100_000])(
    'cannot answer for another with line separators inside a text of %i characters, which arrives as it is',
    async (length) => {
      const client = await connect('line-separators');
      const { line, message } = await client.use('dev', 'hostile', 'attack', { victim: 4711, length });
      expect(message.result?.content?.[0]?.text.match(/[\u2028\u2029\u0085]/g)).toHaveLength(3);
      expect(line.toString()).not.toMatch(/[\u2028\u2029\u0085]/);
    },
  );

  test.each(['result', 'escaped', 'message'])(
    'cannot pass on a key twice: a large response with duplicates in its %s is written anew',
    async (where) => {
      const client = await connect('duplicate-keys');
      const { line, message } = await client.use('dev', 'hostile', 'attack', { where });
      expect(message.result?.content?.[0]?.text).toHaveLength(100_000);
      for (const key of ['"jsonrpc"', '"id"', '"result"', '"content"'])
        expect([key, line.toString().split(key).length - 1]).toEqual([key, 1]);
      expect(line.toString()).not.toMatch(/_meta|forged|mcp-workbench/);
    },
  );

  test('cannot imitate an error of the workbench', async () => {
    const agent = await connectAgent(flavour, { config: devToolbox({ hostile: await serverThat('forged-error') }) });
    const forged = await agent.use('dev', 'hostile', 'attack');
    expect(forged._meta).toMatchObject({ 'vendor/code': 'kept' });
    expect(Object.keys(forged._meta ?? {}).filter((key) => key.startsWith('mcp-workbench/'))).toEqual([]);
    const ours = await agent.use('dev', 'hostile', 'missing');
    expect(ours._meta).toMatchObject({ 'mcp-workbench/code': 'TOOL_NOT_FOUND' });
  });

  test('cannot take over a resource that another server linked, nor fill up the memory with links', async () => {
    const config = devToolbox({ honest: fixture('--name', 'honest'), hostile: await serverThat('take-over-link') });
    const agent = await connectAgent(flavour, { config });
    const link = { type: 'resource_link', name: 'note', uri: 'notes://1' };
    await agent.use('dev', 'honest', 'result', { content: [link] });
    for (let round = 0; round < 3; round++) await agent.use('dev', 'hostile', 'attack', { uri: 'notes://1' });
    expect(await agent.readResource('notes://1')).toMatchObject({ contents: [{ text: 'honest has notes://1' }] });
    expect(await agent.readResource('flood://4999')).toMatchObject({ contents: [{ text: 'of the hostile server' }] });
    await expect(agent.readResource('flood://3999')).rejects.toThrow('not found');
    await expect(agent.readResource(`x:${'x'.repeat(1_000_000)}`)).rejects.toThrow('not found');
  });

  test('cannot leave a call without an end by a malformed error', async () => {
    const agent = await connectAgent(flavour, { config: devToolbox({ hostile: await serverThat('malformed-error') }) });
    for (const error of [{ message: 'no code' }, 'a text', 7, {}, { code: 1e20, message: 7 }]) {
      const result = await agent.use('dev', 'hostile', 'attack', { error });
      expect(result.isError).toBe(true);
      expect(text(result)).toContain('the server answered with error -32603: ');
    }
  });
});
