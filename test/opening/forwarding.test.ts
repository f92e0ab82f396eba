import { expect, test } from 'vitest';
import { opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { flavourOf, forwards, oneServer, serverOf } from '../support/forwarding.js';
import { connectAgent } from '../support/in-process.js';
import { fixture, fixtureWith } from '../support/servers.js';

forwards('instructions of the server', async (eras) => {
  const long = 'Read the guide first. '.repeat(300);
  const servers = {
    plain: serverOf(eras.server),
    talks: serverOf(eras.server, '--instructions', ' Call echo first.\n'),
    talksLong: serverOf(eras.server, '--instructions', long),
  };
  const agent = await connectAgent(flavourOf(eras.agent), { config: await eras.to(devToolbox(servers)) });
  const { instructions } = opened(await agent.open('dev'));
  expect(instructions?.map(({ server }) => server)).toEqual(['talks', 'talksLong']);
  expect(instructions?.[0]?.text).toBe('Call echo first.');
  expect(instructions?.[1]?.text).toHaveLength(2_000);
  expect(long.startsWith(instructions?.[1]?.text.slice(0, -1) ?? '-')).toBe(true);
});

const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const sum = { name: 'result', inputSchema: { type: 'object' }, outputSchema };

forwards('`outputSchema`', async (eras) => {
  const flags = eras.server === 'modern' ? ['--modern'] : [];
  const agent = await connectAgent(flavourOf(eras.agent), {
    config: await eras.to(devToolbox({ any: fixtureWith([sum], ...flags) })),
  });
  expect(opened(await agent.open('dev')).tools).toEqual([{ ...sum, toolbox: 'dev', server: 'any' }]);
  for (const structuredContent of [{ sum: 42 }, { sum: 'wrong' }, {}]) {
    const sent = { content: [{ type: 'text', text: 'x' }], structuredContent };
    expect(await agent.use('dev', 'any', 'result', sent)).toMatchObject(sent);
  }
  const without = await agent.use('dev', 'any', 'result', { content: [{ type: 'text', text: 'x' }] });
  expect(without.isError).toBeUndefined();
});

test('a tool that may be called as a task, or must not be, is called plainly', async () => {
  const tool = (name: string, taskSupport: string) => ({
    name,
    inputSchema: { type: 'object' },
    execution: { taskSupport },
  });
  const tools = [tool('either', 'optional'), tool('never', 'forbidden')];
  const agent = await connectAgent('v2 modern', { config: devToolbox({ any: fixtureWith(tools, '--tasks') }) });
  const listing = opened(await agent.open('dev'));
  expect(listing.tools).toMatchObject(tools);
  expect(listing.notes).toBeUndefined();
  for (const { name } of tools) expect(text(await agent.use('dev', 'any', name, { a: 1 }))).toBe('{"a":1}');
});

test('an ordinary answer has only its four fields', async () => {
  const agent = await connectAgent('v2 modern', { config: oneServer('modern') });
  expect(Object.keys(opened(await agent.open('dev')))).toEqual([
    'toolbox',
    'description',
    'servers_connected',
    'tools',
  ]);
  const other = await connectAgent('v2 legacy', { config: devToolbox({ any: fixture() }) });
  expect(Object.keys(opened(await other.open('dev')))).toHaveLength(4);
});
