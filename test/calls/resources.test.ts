import { expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { connectRaw, everything, forwards, oneServer, program, serverOf } from '../support/forwarding.js';
import { connectAgent } from '../support/in-process.js';
import { linuxOnly } from '../support/platform.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

const link = (uri: string) => ({ type: 'resource_link', uri, name: 'a link' });

forwards('resource links', async (route) => {
  const servers = { one: serverOf(route.server, '--name', 'one'), two: serverOf(route.server, '--name', 'two') };
  const agent = await route.connect(await route.to(devToolbox(servers)));
  const uri = 'notes://a b/ü?x=1#y';
  const result = await agent.use('dev', 'two', 'result', { content: [link(uri)] });
  expect(result.content).toEqual([link(uri)]);
  const contents = { uri, mimeType: 'text/plain', text: `two has ${uri}` };
  expect(await agent.readResource(uri)).toMatchObject({ contents: [contents] });
  // Unchanged, unknown fields too.
  expect(await agent.request('resources/read', { uri })).toMatchObject({
    contents: [{ ...contents, extra: [1] }],
    fromTheFuture: true,
  });
});

test('embedded resources are read too, from the server that returned them first', async () => {
  const config = devToolbox({ one: fixture('--name', 'one'), two: fixture('--name', 'two') });
  const agent = await connectAgent('v1', { config });
  const embedded = { type: 'resource', resource: { uri: 'memo://1', text: 'a memo' } };
  for (const server of ['one', 'two', 'one']) {
    await agent.use('dev', server, 'result', { content: [embedded] });
    expect(await agent.readResource('memo://1')).toMatchObject({ contents: [{ text: 'one has memo://1' }] });
  }
});

test.each(['legacy', 'modern'] as const)(
  'a %s agent gets an error for an unknown URI, and no server starts',
  async (era) => {
    const log = callLog();
    const agent = await connectRaw(era, oneServer('legacy', '--log', log.path));
    const { error } = await agent.request('resources/read', { uri: 'notes://nowhere' });
    expect(error?.code).toBe(-32602);
    expect(error?.message).toMatch(
      /^Resource 'notes:\/\/nowhere' not found\. Only resources linked from a use_tool result/,
    );
    expect(error?.data).toEqual({ uri: 'notes://nowhere' });
    expect((await agent.request('resources/read', {})).error?.code).toBe(-32602);
    expect(log.entries()).toEqual([]);
  },
);

test('an agent that lists resources starts nothing', async () => {
  linuxOnly('counts processes in /proc');
  const agent = await connectRaw('legacy', oneServer('legacy'), {}, program);
  expect((await agent.request('resources/list', {})).result).toMatchObject({ resources: [] });
  expect((await agent.request('resources/templates/list', {})).result).toMatchObject({ resourceTemplates: [] });
  expect(processesWith(agent.workbench.marker)).toHaveLength(1);
});

test.each(['legacy', 'modern'] as const)(
  'the error of a %s server that cannot read its resource is quoted',
  async (server) => {
    const agent = await connectRaw('modern', oneServer(server), everything);
    await agent.use('result', { content: ['missing:1', 'ask:1'].map(link) });
    const missing = await agent.request('resources/read', { uri: 'missing:1' });
    expect(missing.error?.message).toBe(
      "Reading 'missing:1' from server 'any' (toolbox 'dev') failed: the server answered with error -32002: Resource not found",
    );
    const asking = await agent.request('resources/read', { uri: 'ask:1' });
    expect(asking.error?.message).toContain('it asks a question first, which is not supported for resources');
  },
);

test('cancelling the request cancels the read at the server', async () => {
  const log = callLog();
  const agent = await connectRaw('legacy', oneServer('legacy', '--log', log.path));
  await agent.use('result', { content: [link('hang:1')] });
  agent.workbench.send({ id: 'reading', method: 'resources/read', params: { uri: 'hang:1' } });
  const [reading] = await until(() => log.methods('resources/read').length === 1 && log.methods('resources/read'));
  agent.workbench.notify('notifications/cancelled', { requestId: 'reading' });
  const [cancelled] = await until(() => {
    const seen = log.methods('notifications/cancelled');
    return seen.length === 1 && seen;
  });
  expect(cancelled?.requestId).toBe(reading?.id);
});

test('reading a resource starts its server', async () => {
  const config = devToolbox({ any: { ...fixture('--name', 'any'), idleTimeoutMs: 300 } });
  const agent = await connectAgent('v2 modern', { config });
  await agent.use('dev', 'any', 'result', { content: [link('notes://1')] });
  await until(() => agent.stderr().includes('idle, stopped'));
  expect(await agent.readResource('notes://1')).toMatchObject({ contents: [{ text: 'any has notes://1' }] });
});

test('the most recent 1,000 links of a server are remembered, and the ones before are forgotten', async () => {
  const agent = await connectRaw('legacy', oneServer('legacy', '--name', 'any'));
  const links = Array.from({ length: 1_001 }, (_, index) => link(`notes://${index}`));
  await agent.use('result', { content: links });
  expect((await agent.request('resources/read', { uri: 'notes://0' })).error?.code).toBe(-32602);
  for (const uri of ['notes://1', 'notes://1000'])
    expect((await agent.request('resources/read', { uri })).result).toMatchObject({ contents: [{ uri }] });
});
