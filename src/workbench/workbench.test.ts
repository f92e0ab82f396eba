import { describe, expect, test, vi } from 'vitest';
import { configOf, connectTo, FakeServer, pending, serverConfig } from '../../test/support/fake-port.js';
import { DownstreamFailure } from '../contract/downstream-failure.js';
import { silentLog } from '../platform/log.js';
import { createWorkbench } from './workbench.js';

function workbenchOf(fakes: Readonly<Record<string, FakeServer>>, openTimeoutMs?: number) {
  const servers = Object.keys(fakes).map((name) => serverConfig({ name }));
  return createWorkbench(configOf(servers, openTimeoutMs), connectTo(fakes), silentLog);
}

function unreachable(reason = 'the command was not found'): FakeServer {
  const fake = new FakeServer();
  fake.onStart = async () => {
    throw new DownstreamFailure('unreachable', reason);
  };
  return fake;
}

function neverReady(): FakeServer {
  const fake = new FakeServer();
  fake.onStart = (signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  return fake;
}

const echo = { toolbox: 'dev', server: 'a', name: 'echo' };

describe('opening a toolbox', () => {
  test('lists the tools in configuration order, whichever server is first', async () => {
    const [slow, fast] = [new FakeServer(), new FakeServer()];
    const started = pending<void>();
    slow.onStart = () => started.promise;
    slow.tools = ['z', 'a'];
    fast.tools = ['m'];
    fast.onStart = async () => started.resolve();
    const opened = await workbenchOf({ slow, fast }).openToolbox('dev');
    expect(opened.tools.map(({ server, name }) => `${server} ${name}`)).toEqual(['slow z', 'slow a', 'fast m']);
    expect(Object.keys(opened)).toEqual(['toolbox', 'description', 'servers_connected', 'tools']);
  });

  test('reports unreachable servers beside the reachable ones', async () => {
    const opened = await workbenchOf({ a: new FakeServer(), b: unreachable() }).openToolbox('dev');
    expect(opened.servers_connected).toBe(1);
    expect(opened.unavailable).toEqual([{ server: 'b', reason: 'the command was not found' }]);
  });

  test('fails with one line per server when none can be reached', async () => {
    await expect(workbenchOf({ a: unreachable('x\ny'), b: unreachable() }).openToolbox('dev')).rejects.toMatchObject({
      code: 'TOOLBOX_UNAVAILABLE',
      message:
        "Failed to connect to server 'a' in toolbox 'dev': x | y\nFailed to connect to server 'b' in toolbox 'dev': the command was not found",
    });
  });

  test('does not wait for a slow server longer than the limit, and lists it once it is ready', async () => {
    const slow = new FakeServer();
    const started = pending<void>();
    slow.onStart = () => started.promise;
    const workbench = workbenchOf({ a: new FakeServer(), slow }, 50);
    const first = await workbench.openToolbox('dev');
    expect(first).toMatchObject({ servers_connected: 1, starting: ['slow'] });
    expect(first.notes?.[0]).toContain('Call open_toolbox again');
    started.resolve();
    const second = await workbench.openToolbox('dev');
    expect(second.servers_connected).toBe(2);
    expect(second).not.toHaveProperty('starting');
    expect(slow.starts).toBe(1);
  });

  test('reports progress', async () => {
    const messages: string[] = [];
    const workbench = workbenchOf({ a: new FakeServer(), b: unreachable() });
    await workbench.openToolbox('dev', { onProgress: ({ message }) => messages.push(message) });
    expect(messages).toContain('1 of 2 ready: a');
  });

  test('passes on shortened server instructions', async () => {
    const talkative = new FakeServer();
    talkative.instructions = 'x'.repeat(5_000);
    const opened = await workbenchOf({ talkative, silent: new FakeServer() }).openToolbox('dev');
    expect(opened.instructions).toHaveLength(1);
    expect(opened.instructions?.[0]?.text).toHaveLength(2_000);
  });
});

describe('using a tool', () => {
  test('starts only the server it needs', async () => {
    const fakes = { a: new FakeServer(), b: new FakeServer() };
    await workbenchOf(fakes).useTool(echo, { x: 1 });
    expect([fakes.a.starts, fakes.b.starts]).toEqual([1, 0]);
  });

  test('lists once more for an unknown tool', async () => {
    const a = new FakeServer();
    const workbench = workbenchOf({ a });
    await workbench.useTool(echo);
    a.tools = ['echo', 'fresh'];
    await expect(workbench.useTool({ ...echo, name: 'fresh' })).resolves.toBeDefined();
    expect(a.listings).toBe(2);
    await expect(workbench.useTool({ ...echo, name: 'frsh' })).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: "Tool 'frsh' not found in server 'a' (toolbox 'dev')",
      hint: "Did you mean 'fresh'?",
    });
    expect(a.listings).toBe(3);
  });

  test('does not call the tool while the server is still starting', async () => {
    const a = neverReady();
    await expect(workbenchOf({ a }, 20).useTool(echo)).rejects.toMatchObject({ code: 'SERVER_STARTING' });
  });

  test.each([
    ['crashed', 'CALL_FAILED'],
    ['timeout', 'CALL_TIMEOUT'],
    ['cancelled', 'CALL_CANCELLED'],
    ['busy', 'SERVER_BUSY'],
    ['too-large', 'CALL_FAILED'],
    ['protocol', 'CALL_FAILED'],
  ] as const)('names toolbox, server and tool when the call failed (%s)', async (kind, code) => {
    const a = new FakeServer();
    a.onCall = async () => {
      throw new DownstreamFailure(kind, 'this happened');
    };
    await expect(workbenchOf({ a }).useTool(echo)).rejects.toMatchObject({
      code,
      message: "Tool 'echo' of server 'a' (toolbox 'dev') failed: this happened",
      place: { toolbox: 'dev', server: 'a', tool: 'echo' },
    });
  });

  test('ends every server on close, and refuses calls afterwards', async () => {
    const fakes = { a: new FakeServer(), b: neverReady() };
    const workbench = workbenchOf(fakes, 20);
    await workbench.openToolbox('dev');
    await workbench.close();
    expect(fakes.a.running).toBe(0);
    await expect(workbench.useTool(echo)).rejects.toMatchObject({ code: 'WORKBENCH_CLOSED' });
    await expect(workbench.openToolbox('dev')).rejects.toMatchObject({ code: 'WORKBENCH_CLOSED' });
  });
});

test('a call that wakes a sleeping server distinguishes a failed start from a failed call', async () => {
  const a = new FakeServer();
  const server = serverConfig({ name: 'a', limits: { idleTimeoutMs: 1 } });
  const workbench = createWorkbench(configOf([server], 1_000), connectTo({ a }), silentLog);
  await workbench.useTool(echo);
  await vi.waitUntil(() => a.running === 0);
  a.onStart = async () => {
    throw new DownstreamFailure('crashed', 'it exited with code 3');
  };
  await expect(workbench.useTool(echo)).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: "Failed to connect to server 'a' in toolbox 'dev': it exited with code 3",
  });
});

test('a failed call with invalid arguments gets an explanation, a successful one does not', async () => {
  const a = new FakeServer();
  const workbench = workbenchOf({ a });
  const failed = { content: [{ type: 'text', text: 'no' }], isError: true };
  a.onCall = async () => failed;
  a.schema = { type: 'object', required: ['path'] };
  const result = (await workbench.useTool(echo, {})).value();
  expect(result.content?.[0]).toEqual({ type: 'text', text: 'no' });
  expect(result.content?.[1]?.['text']).toContain("The arguments do not match the input schema of tool 'echo'");
  expect((await workbench.useTool(echo, { path: '/' })).value()).toBe(failed);
  a.onCall = async () => ({ content: [] });
  expect((await workbench.useTool(echo, {})).value()).toEqual({ content: [] });
});

test('a call that the server answers with a JSON-RPC error gets the same explanation; one that crashed does not', async () => {
  const a = new FakeServer();
  a.schema = { type: 'object', required: ['path'] };
  a.onCall = () => Promise.reject(new DownstreamFailure('protocol', 'the server answered with error -32602: no'));
  const workbench = workbenchOf({ a });
  await expect(workbench.useTool(echo, {})).rejects.toMatchObject({
    code: 'CALL_FAILED',
    message: "Tool 'echo' of server 'a' (toolbox 'dev') failed: the server answered with error -32602: no",
    hint: expect.stringContaining("The arguments do not match the input schema of tool 'echo': missing: path."),
  });
  await expect(workbench.useTool(echo, { path: '/' })).rejects.toMatchObject({ hint: undefined });
  a.onCall = () => Promise.reject(new DownstreamFailure('crashed', 'it exited with code 1'));
  await expect(workbench.useTool(echo, {})).rejects.toMatchObject({ hint: expect.stringContaining('unknown whether') });
});

test('long reasons of failed servers do not crowd out the tools of a working one', async () => {
  const crashing = () => unreachable('x'.repeat(5_000));
  const fakes = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`broken-${i}`, crashing()]));
  const opened = await workbenchOf({ ...fakes, works: new FakeServer() }).openToolbox('dev');
  expect(opened.tools.map(({ name }) => name)).toEqual(['echo']);
  expect(opened.unavailable).toHaveLength(9);
  expect(JSON.stringify(opened).length).toBeLessThanOrEqual(20_000);
});

test('hundreds of failed servers do not crowd out the tools of a working one, nor exceed the budget', async () => {
  const fakes = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`broken-${i}`, unreachable('x'.repeat(99))]));
  const opened = await workbenchOf({ ...fakes, works: new FakeServer() }).openToolbox('dev');
  expect(opened.tools.map(({ name }) => name)).toEqual(['echo']);
  expect(JSON.stringify(opened).length).toBeLessThanOrEqual(20_000);
  const { length } = opened.unavailable ?? [];
  expect(length).toBeGreaterThan(50);
  expect(opened.notes).toEqual([`${400 - length} more servers cannot be reached.`]);
});

test.each([{ query: 'echo' }, { tools: ['echo'] }])(
  'reasons of failed servers are short in an answer to %j',
  async (asked) => {
    const fakes = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`broken-${i}`, unreachable('x'.repeat(5_000))]),
    );
    const workbench = workbenchOf({ ...fakes, works: new FakeServer() });
    const { unavailable, ...opened } = await workbench.openToolbox({ toolbox: 'dev', ...asked });
    expect(unavailable).toHaveLength(8);
    expect(JSON.stringify(unavailable).length).toBeLessThan(1_200);
    expect(opened.tools.length + (opened.rows?.length ?? 0)).toBe(1);
  },
);

test('an error result without a valid content list still gets an explanation', async () => {
  const a = new FakeServer();
  a.schema = { type: 'object', required: ['path'] };
  a.onCall = async () => JSON.parse('{"isError":true,"content":{"x":1}}');
  const result = (await workbenchOf({ a }).useTool(echo, {})).value();
  expect(result.content?.[0]?.['text']).toContain('do not match the input schema');
});
