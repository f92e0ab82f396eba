// @module-tag hostile

import { describe, expect, test } from 'vitest';
import { text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { connectRaw } from '../support/forwarding.js';
import { hostile, modernHostile, reached } from '../support/hostile.js';
import { connectAgent } from '../support/in-process.js';

const inEra = { legacy: hostile, modern: modernHostile };

const attack = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'hostile', name: 'attack' } } };

// The official clients: they drop the connection at 10 MiB.
describe.each([
  ['v2 legacy', 'modern', 'HTTP'],
  ['v2 modern', 'legacy', 'stdio'],
] as const)('a %s client', (flavour, era, way) => {
  describe(`with a ${era} server over ${way}`, () => {
    const serverThat = (name: string) => reached(way, inEra[era](name));

    test('stays connected when the server reports progress of 11 MB', async () => {
      const agent = await connectAgent(flavour, {
        config: devToolbox({ hostile: await serverThat('large-progress') }),
      });
      const result = await agent.request('tools/call', attack, { onprogress: () => {} });
      expect(result).toMatchObject({ content: [{ text: 'done' }] });
      expect(text(await agent.use('dev', 'hostile', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
    });

    test('gets an error that names the setting for a result that is too large once it is written', async () => {
      const agent = await connectAgent(flavour, {
        config: devToolbox({ hostile: await serverThat('growing-result') }),
      });
      await expect(agent.request('tools/call', attack)).rejects.toThrow(
        /1\d{7} bytes are over the limit 10354688 \(maxResultBytes\)/,
      );
      expect(text(await agent.use('dev', 'hostile', 'echo', { still: 'here' }))).toBe('{"still":"here"}');
    });
  });
});

test.each([
  { agent: 'legacy', server: 'legacy', way: 'stdio' },
  { agent: 'modern', server: 'modern', way: 'HTTP' },
] as const)(
  'progress from a $server server over $way has 1,000 characters for a $agent agent, and neither unknown fields nor hidden characters',
  async ({ agent: era, server, way }) => {
    const agent = await connectRaw(era, devToolbox({ any: await reached(way, inEra[server]('large-progress')) }));
    // More than a megabyte is dropped as a whole.
    await agent.use('attack', { bytes: 500_000 }, { meta: { progressToken: 'mine' } });
    expect(agent.received('notifications/progress').map(({ params }) => params)).toEqual([
      { progress: 1, total: 4, message: `${'x'.repeat(999)}…`, progressToken: 'mine' },
      { progress: 2, total: 4, message: 'with more', progressToken: 'mine' },
      { progress: 3, total: 4, message: 'hidden text', progressToken: 'mine' },
      { progress: 4, total: 4, progressToken: 'mine' },
    ]);
  },
);
