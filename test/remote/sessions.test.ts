import { describe, expect, test } from 'vitest';
import { opened } from '../support/agents.js';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { serverOf } from '../support/forwarding.js';
import { startWorkbench } from '../support/in-process.js';
import { overHttp } from '../support/remote.js';
import { connectRemote, unknownOutcome } from '../support/remote-subject.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { initialize } from '../support/workbench.js';

describe('a session', () => {
  test('that the server forgot is made again, unseen by the agent, and the call is sent to the new one', async () => {
    const { use, remote, calls, sentFor } = await connectRemote('legacy');
    expect(await use('echo', { n: 1 })).toBe('{"n":1}');
    await remote.control({ forget: true });
    expect(await use('echo', { n: 2 })).toBe('{"n":2}');
    expect(remote.sent('initialize')).toHaveLength(2);
    // What was rejected was not executed.
    expect(calls.methods('tools/call')).toHaveLength(2);
    const statuses = () => sentFor('echo').map(({ status }) => status);
    // A response is logged when it has ended, which the client may see first.
    await until(() => statuses().filter((status) => status === 200).length === 2);
    expect(statuses().length).toBeLessThanOrEqual(3);
  });

  test('that the server forgot during a call fails that call, and the next one works', async () => {
    const { use, remote, sentFor } = await connectRemote('legacy');
    const hanging = use('hang');
    await until(() => sentFor('hang').length === 1);
    await remote.control({ forget: true });
    expect(await hanging).toContain(unknownOutcome);
    expect(await use('echo', { n: 2 })).toBe('{"n":2}');
    expect(sentFor('hang')).toHaveLength(1);
  });

  test('that the server forgets at once, again and again, ends in an error and not in a loop', async () => {
    const { use, remote } = await connectRemote('legacy');
    await use('echo', {});
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}';
    const before = remote.log().length;
    await remote.rules({
      rpc: 'tools/call',
      times: 0,
      do: { status: 404, headers: { 'content-type': 'application/json' }, body },
    });
    expect(await use('echo')).toContain('no longer has the session. The tool was not called. Retry this call.');
    expect(remote.log().length - before).toBeLessThan(15);
  });

  test('is one for 100 callers at once', async () => {
    const { agent, remote } = await connectRemote('legacy');
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? agent.open('dev') : agent.use('dev', 'any', 'echo', { n }))),
    );
    for (const result of results) expect(result.isError).not.toBe(true);
    expect(remote.sent('initialize')).toHaveLength(1);
    expect(await remote.control()).toMatchObject({ sessions: 1, processes: 1 });
  });

  test('is ended when the server is idle, and the next call makes another', async () => {
    const { agent, use, remote } = await connectRemote('legacy', { idleTimeoutMs: 300 });
    const before = opened(await agent.open('dev'));
    await until(async () => (await remote.control()).sessions === 0);
    expect(remote.log().filter(({ http }) => http === 'DELETE')).toHaveLength(1);
    expect(opened(await agent.open('dev'))).toEqual(before);
    expect(remote.sent('initialize')).toHaveLength(1);
    expect(await use('echo', { awake: true })).toBe('{"awake":true}');
    expect(remote.sent('initialize')).toHaveLength(2);
  });

  test('is ended with the workbench', async () => {
    const { agent, remote } = await connectRemote('legacy');
    await agent.open('dev');
    expect((await remote.control()).sessions).toBe(1);
    await agent.close();
    await until(async () => (await remote.control()).sessions === 0);
    expect(remote.log().filter(({ http }) => http === 'DELETE')).toHaveLength(1);
  });

  test.each([
    ['a server that does not answer DELETE', { http: 'DELETE', times: 0, do: { hang: true } } as const, 'echo'],
    ['a call in flight', { http: 'DELETE', times: 0, do: { hang: true } } as const, 'hang'],
  ])('does not keep the workbench from ending with %s', async (_, rule, tool) => {
    const calls = callLog();
    const remote = await overHttp(serverOf('legacy', '--log', calls.path), { sessions: true, answers: 'sse' });
    const workbench = startWorkbench({ config: devToolbox({ any: remote.entry }) });
    await initialize(workbench);
    await remote.rules(rule);
    const params = { name: 'use_tool', arguments: { tool: { toolbox: 'dev', server: 'any', name: tool } } };
    workbench.send({ id: 'call', method: 'tools/call', params });
    await until(() => calls.methods('tools/call').length === 1);
    if (tool === 'echo') await workbench.answerTo('call');
    const elapsed = startStopwatch();
    workbench.end();
    expect(await workbench.exited).toEqual({ code: 0, signal: null });
    expect(elapsed()).toBeLessThan(8_000);
  });

  test('opens its stream again when the server closes it, and no call fails', async () => {
    const { agent, use, remote } = await connectRemote('legacy');
    await use('echo', {});
    await until(async () => (await remote.control()).getStreams === 1);
    await remote.control({ closeGet: true });
    expect(await use('echo', { n: 2 })).toBe('{"n":2}');
    // It is opened again: changes of the tools are announced there.
    await until(async () => (await remote.control()).getStreams === 1);
    await agent.use('dev', 'any', 'change_tools', { add: ['brand_new'], notify: true });
    await until(async () => opened(await agent.open('dev')).tools.some(({ name }) => name === 'brand_new'));
    expect(remote.sent('initialize')).toHaveLength(1);
  });

  test('continues the response of a call that the server interrupts on purpose', async () => {
    const { use, remote, sentFor } = await connectRemote('legacy');
    await use('echo', {});
    await remote.rules({ tool: 'stats', do: { prime: 50 } });
    expect(JSON.parse(await use('stats'))).toMatchObject({ initialize: 1 });
    expect(sentFor('stats')).toHaveLength(1);
    expect(remote.log().find(({ headers }) => headers['last-event-id'] !== undefined)?.http).toBe('GET');
  });
});

test('a modern server without sessions gets no DELETE, and its subscription ends with the workbench', async () => {
  const { agent, use, remote } = await connectRemote('modern');
  await use('echo', {});
  await until(() => remote.sent('subscriptions/listen').length === 1);
  await agent.close();
  await until(() => remote.sent('subscriptions/listen')[0]?.end === 'closed by the client');
  expect(remote.log().filter(({ http }) => http !== 'POST')).toEqual([]);
  for (const { headers } of remote.log()) expect(headers['mcp-session-id']).toBeUndefined();
});
