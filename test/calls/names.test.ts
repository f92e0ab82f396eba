// @module-tag slow
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasHidden } from '../../src/text/hidden.js';
import { opened, text } from '../support/agents.js';
import { connectAgent } from '../support/in-process.js';
import { fixtureWith } from '../support/servers.js';

const names = [
  'a__b',
  'my box',
  'x/y',
  'ü ✓',
  '__proto__',
  'constructor',
  'toString',
  '10',
  '2',
  'a.b',
  "it's",
  '"',
  '🧰',
];

const toolbox = (servers: readonly string[]) => ({
  description: 'Odd names',
  mcpServers: new Map(servers.map((server) => [server, fixtureWith(names)])),
});

test('any name is an ordinary name of a toolbox, a server and a tool', async () => {
  const config = { toolboxes: new Map(names.map((name) => [name, toolbox([name])])) };
  const agent = await connectAgent('v2 legacy', { config });
  for (const name of names) {
    const { tools, ...rest } = opened(await agent.open(name));
    expect(rest).toEqual({ toolbox: name, description: 'Odd names', servers_connected: 1 });
    expect(tools.map((tool) => [tool.toolbox, tool.server, tool.name])).toEqual(
      names.map((tool) => [name, name, tool]),
    );
    expect(text(await agent.use(name, name, name, { said: name }))).toBe(JSON.stringify({ said: name }));
  }
});

test('toolboxes and servers keep the order of the file', async () => {
  const config = {
    toolboxes: new Map([['all', toolbox(names)], ...names.map((name) => [name, toolbox(['s'])] as const)]),
  };
  const agent = await connectAgent('v2 modern', { config });
  expect(text(await agent.open('nowhere'))).toContain(`Available toolboxes: ${['all', ...names].join(', ')}`);
  const { tools } = opened(await agent.open('all'));
  expect([...new Set(tools.map(({ server }) => server))]).toEqual(names);
});

test('a slash in a name does not make it a path', async () => {
  const config = {
    toolboxes: {
      'a/b': { description: 'A slash in the toolbox', mcpServers: { c: fixtureWith(['d']) } },
      a: { description: 'A slash in the server', mcpServers: { 'b/c': fixtureWith(['d', 'c/d']) } },
    },
  };
  const agent = await connectAgent('v2 modern', { config });
  expect(text(await agent.use('a/b', 'c', 'd'))).toBe('{}');
  expect(text(await agent.use('a', 'b/c', 'd'))).toBe('{}');
  expect(text(await agent.use('a', 'b', 'c/d'))).toMatch(/^Server 'b' not found in toolbox 'a'/);
});

test('inherited properties of objects are not names', async () => {
  const agent = await connectAgent('v2 modern', { config: { toolboxes: { dev: toolbox(['s']) } } });
  for (const name of ['hasOwnProperty', 'valueOf', '__defineGetter__']) {
    expect(text(await agent.open(name))).toMatch(/^Toolbox '.*' not found/);
    expect(text(await agent.use('dev', name, 'a__b'))).toMatch(/^Server '.*' not found/);
    expect(text(await agent.use('dev', 's', name))).toMatch(/^Tool '.*' not found/);
  }
});

const anyName = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.constantFrom(...names),
  )
  .filter((name) => name !== '*');

const someNames = fc.uniqueArray(anyName, { minLength: 1, maxLength: 4 });

/** Names of tools come from servers: names that a reader cannot see or distinguish are left out of listings. */
const toolNames = fc.uniqueArray(
  anyName.filter((name) => !hasHidden(name)),
  { minLength: 1, maxLength: 4, selector: (name) => name.normalize('NFKC') },
);

test('an identifier leads to its tool, whatever its fields contain', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(someNames, anyName, toolNames, async (toolboxes, server, tools) => {
    const entry = { description: 'Random', mcpServers: new Map([[server, fixtureWith(tools)]]) };
    const agent = await connectAgent('v2 modern', {
      config: { toolboxes: new Map(toolboxes.map((name) => [name, entry])) },
    });
    try {
      for (const toolboxName of toolboxes) {
        const listed = opened(await agent.open(toolboxName)).tools;
        expect(listed.map((tool) => [tool.toolbox, tool.server, tool.name])).toEqual(
          tools.map((tool) => [toolboxName, server, tool]),
        );
        for (const tool of listed) {
          const result = await agent.use(tool.toolbox, tool.server, tool.name, { from: tool.name });
          expect(text(result)).toBe(JSON.stringify({ from: tool.name }));
        }
      }
    } finally {
      await agent.close();
    }
  });
  await fc.assert(property, { numRuns: 12 });
});
