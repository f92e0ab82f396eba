// @module-tag slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectAgent, connectAgentTo, flavours, opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { userWho } from '../support/forwarding.js';
import * as inProcess from '../support/in-process.js';
import { prepareLaunch, temporaryDirectory } from '../support/launch.js';
import { real } from '../support/servers.js';
import { until } from '../support/until.js';

// Published servers, of several SDKs and eras. They start and list without a network.
function realToolbox(dir: string) {
  return devToolbox({
    memory: real.memory(join(dir, 'memory.jsonl')),
    filesystem: real.filesystem(dir),
    everything: real.everything(),
    // Its era is configured: on a slow machine the probe would time out.
    context7: { ...real.context7(), protocol: '2026-07-28' },
    github: real.github(),
  });
}

test('servers of every era are listed in one toolbox, each connected in its own', async () => {
  const agent = await connectAgent('v2 modern', { config: realToolbox(temporaryDirectory()) });
  const listing = opened(await agent.open('dev'));
  expect(listing.unavailable).toBeUndefined();
  expect(listing.servers_connected).toBe(5);
  // This many tools are listed in rows: server, name, …
  expect(listing.columns?.slice(0, 2)).toEqual(['server', 'name']);
  const listed = [...listing.tools.map((tool) => [tool.server, tool.name]), ...(listing.rows ?? [])];
  const names = (server: string) => listed.filter((row) => row[0] === server).map((row) => row[1]);
  expect(names('memory')).toContain('read_graph');
  expect(names('filesystem')).toContain('read_text_file');
  expect(names('everything')).toContain('echo');
  expect(names('context7')).toContain('resolve-library-id');
  expect(names('github')).toContain('search_repositories');
  expect(listing.instructions?.map(({ server }) => server)).toContain('everything');
  const logs = join(agent.dir, 'home', '.local', 'state', 'mcp-workbench', 'logs', 'dev');
  const revisionOf = (server: string) =>
    /connected \(protocol ([\d-]+)\)/.exec(readFileSync(join(logs, `${server}.log`), 'utf8'))?.[1];
  const servers = ['memory', 'filesystem', 'everything', 'context7', 'github'];
  await until(() => servers.every(revisionOf));
  const isModern = (server: string) => revisionOf(server) === '2026-07-28';
  expect(servers.filter(isModern)).toEqual(['context7']);
});

const calls: readonly [tool: string, args: Record<string, unknown>][] = [
  ['echo', { message: 'ü ✓' }],
  ['get-sum', { a: 19, b: 23 }],
  ['get-tiny-image', {}],
  ['get-structured-content', { location: 'New York' }],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['get-resource-links', { count: 3 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
  ['get-sum', { a: 'not a number' }],
];

test('a client gets the same results from a real server with and without the workbench', async () => {
  const flavour = 'v1';
  const { command = '', args = [] } = real.everything();
  const alone = await connectAgentTo({ ...prepareLaunch({}), command, args: [...args] }, flavour);
  const through = await connectAgent(flavour, { config: devToolbox({ everything: real.everything() }) });
  for (const [name, given] of calls) {
    const expected = await alone.request('tools/call', { name, arguments: given });
    const result = await through.use('dev', 'everything', name, given);
    // One text block is added: the violations of the schema.
    const content = expected['isError'] === true ? result.content.slice(0, 1) : result.content;
    expect(withoutTimes({ ...result, content }), name).toEqual(withoutTimes(expected));
  }
});

/** The server puts the time into its results. */
function withoutTimes(value: object): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\d{1,2}:\d{2}:\d{2}( [AP]M)?/g, 'TIME'));
}

test('the resources that a real server links to are read', async () => {
  const agent = await inProcess.connectAgent('v2 legacy', { config: devToolbox({ everything: real.everything() }) });
  const { content } = await agent.use('dev', 'everything', 'get-resource-links', { count: 2 });
  const uris = content.filter(({ type }) => type === 'resource_link').map(({ uri }) => String(uri));
  expect(uris).toHaveLength(2);
  for (const uri of uris) expect(await agent.readResource(uri)).toMatchObject({ contents: [{ uri }] });
});

test.each(flavours)('a %s client is asked by a real server: form, model and roots', async (flavour) => {
  const answers = {
    'elicitation/create': { action: 'accept', content: { name: 'Ada', check: true } },
    'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'A summary' }, model: 'm-1' },
    'roots/list': { roots: [{ uri: 'file:///home/ada', name: 'home' }] },
  };
  const user = userWho((method) => answers[method as keyof typeof answers]);
  const agent = await inProcess.connectAgent(
    flavour,
    { config: devToolbox({ everything: { ...real.everything(), roots: true } }) },
    user,
  );
  const use = async (name: string, args: object = {}) => text(await agent.use('dev', 'everything', name, args));
  const names = opened(await agent.open('dev')).tools.map(({ name }) => name);
  expect(names).toContain('trigger-elicitation-request');
  expect(await use('trigger-elicitation-request')).toContain('Ada');
  expect(await use('trigger-sampling-request', { prompt: 'Summarize', maxTokens: 10 })).toContain('A summary');
  expect(await use('get-roots-list')).toContain('file:///home/ada');
});
