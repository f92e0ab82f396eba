// @module-tag hostile

import { describe, expect, test } from 'vitest';
import { opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { hostile } from '../support/hostile.js';
import { connectAgent, startWorkbench } from '../support/in-process.js';
import { fixture } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { initialize, modern, type RunningWorkbench } from '../support/workbench.js';

function messagesOf(workbench: RunningWorkbench): { readonly id?: unknown; readonly error?: { code: number } }[] {
  return workbench.lines.map((line) => JSON.parse(line));
}

describe.each(['legacy', 'modern'])('a %s agent', (era) => {
  async function connect() {
    const workbench = startWorkbench({ config: devToolbox({ any: fixture() }) });
    if (era === 'legacy') await initialize(workbench);
    return workbench;
  }
  const inEra = (params: object, meta: object = {}) =>
    era === 'modern' ? modern(params, {}, meta) : { ...params, _meta: meta };
  const call = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'any', name: 'echo' } } };

  test('gets an error with the id null, and no result, for a request with an invalid id', async () => {
    const workbench = await connect();
    const params = JSON.stringify(inEra(call));
    const ids = ['1e400', '-1e400', 'null', 'true', '[1]', `"${'x'.repeat(5_000)}"`];
    const refused = () => messagesOf(workbench).filter((message) => !String(message.id).startsWith('request-'));
    for (const [index, id] of ids.entries()) {
      workbench.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
      await until(() => refused().length > index, { what: `an answer to the id ${id.slice(0, 20)}` });
    }
    expect((await workbench.request('tools/call', inEra(call))).result).toMatchObject({ content: [{ text: '{}' }] });
    const error = expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_600 }) });
    expect(refused()).toEqual(ids.map(() => error));
  });

  test('gets an error for a progress token that cannot be sent back', async () => {
    const workbench = await connect();
    const params = JSON.stringify(inEra(call, { progressToken: 'TOKEN' })).replace('"TOKEN"', '1e400');
    workbench.write(`{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":${params}}\n`);
    expect((await workbench.answerTo('mine')).error).toMatchObject({ code: -32_602 });
  });
});

test('a name of a megabyte is answered at once, beside 1,900 similar ones', async () => {
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ hostile: hostile('similar-names') }) });
  await agent.open('dev');
  const stopwatch = startStopwatch();
  for (const name of ['x'.repeat(1_000_000), 'y'.repeat(1_000_000)]) {
    expect(text(await agent.use('dev', 'hostile', name))).toMatch(/^Tool '[xy]{199}…' not found/);
  }
  // As a whole they would take hours.
  expect(stopwatch()).toBeLessThan(5_000);
});

test('a list of 300,000 names is looked up in one pass, beside 1,900 tools', async () => {
  const agent = await connectAgent('v2 legacy', { config: devToolbox({ hostile: hostile('similar-names') }) });
  await agent.open('dev');
  const names = Array.from({ length: 300_000 }, (_, index) => `absent_${index}`);
  const stopwatch = startStopwatch();
  const { tools, notes } = opened(await agent.call('open_toolbox', { toolbox: 'dev', tools: ['echo', ...names] }));
  // A pass over all tools for each name would take a minute.
  expect(stopwatch()).toBeLessThan(5_000);
  expect(tools.map(({ name }) => name)).toEqual(['echo']);
  expect(notes).toContain('299990 more were not found.');
});

describe('an error never hands the agent a ready call', () => {
  const toolbox = (servers: object) => ({ description: 'Tools', mcpServers: { ...servers } });

  test('to a server in another toolbox', async () => {
    const toolboxes = {
      dev: toolbox({ any: fixture('--tools', 'echo') }),
      prod: toolbox({ hostile: hostile('flood') }),
    };
    const agent = await connectAgent('v2 legacy', { config: { toolboxes } });
    await agent.open('prod');
    const missing = text(await agent.use('dev', 'any', 'attack'));
    expect(missing).toContain("Toolbox 'prod' has a tool of this name.");
    expect(missing).not.toContain('use_tool');
    expect(missing).not.toContain('hostile');
  });

  test('to a namesake of a tool that a filter hides; of others it does, within the toolbox', async () => {
    const toolboxes = {
      dev: toolbox({
        filtered: { ...fixture('--tools', 'echo,attack,other'), toolFilters: ['echo', 'o*'] },
        hostile: hostile('flood'),
      }),
      prod: toolbox({ more: hostile('flood') }),
    };
    const agent = await connectAgent('v2 legacy', { config: { toolboxes } });
    for (const name of ['dev', 'prod']) await agent.open(name);
    const hidden = text(await agent.use('dev', 'filtered', 'attack'));
    expect(hidden).toMatch(/^Tool 'attack' not found in server 'filtered' \(toolbox 'dev'\)/);
    for (const said of ['use_tool', 'hostile', 'prod']) expect(hidden).not.toContain(said);
    expect(text(await agent.use('dev', 'hostile', 'other'))).toContain(
      'call use_tool({"tool":{"toolbox":"dev","server":"filtered","name":"other"}})',
    );
  });
});
