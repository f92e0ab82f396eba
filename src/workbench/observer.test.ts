import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { configOf, connectTo, FakeServer, fakeAgent, pending, serverConfig } from '../../test/support/fake-port.js';
import { DownstreamFailure } from '../contract/downstream-failure.js';
import type { CallToolResult, ToolIdentifier } from '../contract/types.js';
import { silentLog } from '../platform/log.js';
import type { Observer } from './ports/observer.js';
import { createWorkbench } from './workbench.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
afterEach(() => vi.useRealTimers());

const client = { name: 'raw', version: '1' };
const agent = fakeAgent({ client });
const echo: ToolIdentifier = { toolbox: 'dev', server: 'fs', name: 'echo' };

function observed(settings: Parameters<typeof serverConfig>[0] = {}) {
  const seen: Record<string, unknown>[] = [];
  const observer: Observer = {
    report(event) {
      if (!('server' in event) || typeof event.server !== 'object') return void seen.push({ ...event });
      const { server, ...rest } = event;
      seen.push({ of: `${server.toolbox} ${server.name}`, ...rest });
    },
  };
  const fake = new FakeServer();
  const workbench = createWorkbench(configOf([serverConfig(settings)]), connectTo({ fs: fake }), silentLog, {
    observer,
  });
  /** The events so far, without times and ids. */
  const events = () =>
    seen.map((event) =>
      Object.fromEntries(
        Object.entries(event).filter(([key]) => !['at', 'ms', 'startMs', 'call', 'trace'].includes(key)),
      ),
    );
  return { fake, workbench, seen, events };
}

const ready = { of: 'dev fs', is: 'ready', pid: undefined, revision: undefined, software: undefined, tools: 1 };
const starting = { of: 'dev fs', is: 'starting' };
const named = { toolbox: 'dev', server: 'fs', tool: 'echo', client };

test('a start, calls, sleep and the end are reported in order, with their times', async () => {
  const { fake, workbench, events, seen } = observed({ limits: { idleTimeoutMs: 1_000 } });
  fake.onStart = async () => void vi.advanceTimersByTime(250);
  await workbench.openToolbox('dev', { agent });
  await workbench.useTool(echo, { secret: 'argument' }, { agent });
  await vi.advanceTimersByTimeAsync(1_000);
  await workbench.useTool(echo, {}, { agent }).then(undefined, () => {});
  await workbench.close();
  expect(events()).toEqual([
    starting,
    ready,
    { is: 'opened', toolbox: 'dev', client },
    { is: 'called', ...named, outcome: 'ok' },
    { of: 'dev fs', is: 'asleep' },
    starting,
    ready,
    { is: 'called', ...named, outcome: 'ok' },
    { of: 'dev fs', is: 'stopped' },
  ]);
  expect(seen[1]).toMatchObject({ at: Date.now() - 1_250, startMs: 250 });
  expect(seen[2]).toMatchObject({ at: Date.now() - 1_250, ms: 250 });
  expect(JSON.stringify(seen)).not.toContain('argument');
});

test.each<[string, (fake: FakeServer) => void, object]>([
  ['a tool that reports an error', (fake) => answer(fake, { content: [], isError: true }), { outcome: 'error' }],
  [
    'a server that requires input',
    (fake) => answer(fake, { content: [], resultType: 'input_required' }),
    { outcome: 'asked' },
  ],
  ['a crash', (fake) => failWith(fake, 'crashed'), { outcome: 'failed', code: 'CALL_FAILED', reason: 'it failed' }],
  ['a timeout', (fake) => failWith(fake, 'timeout'), { outcome: 'failed', code: 'CALL_TIMEOUT', reason: 'it failed' }],
  [
    'a cancellation',
    (fake) => failWith(fake, 'cancelled'),
    { outcome: 'failed', code: 'CALL_CANCELLED', reason: 'it failed' },
  ],
])('%s is the outcome of its call', async (_, prepare, outcome) => {
  const { fake, workbench, events } = observed();
  prepare(fake);
  await workbench.useTool(echo, {}, { agent }).then(undefined, () => {});
  expect(events()).toEqual([starting, ready, { is: 'called', ...named, code: undefined, ...outcome }]);
});

test('a call that is refused is reported with its code, and with names that are cut', async () => {
  const { workbench, events } = observed();
  const long = 'x'.repeat(1_000);
  for (const id of [
    { ...echo, toolbox: long },
    { ...echo, server: 'none' },
    { ...echo, name: 'none' },
  ])
    await workbench.useTool(id, {}, { agent }).then(undefined, () => {});
  await workbench.openToolbox('none', { agent }).then(undefined, () => {});
  const cut = `${'x'.repeat(127)}…`;
  expect(events()).toEqual([
    {
      is: 'refused',
      ...named,
      toolbox: cut,
      code: 'TOOLBOX_NOT_FOUND',
      reason: expect.stringMatching(/^Toolbox 'x{150,}…' not found/),
    },
    {
      is: 'refused',
      ...named,
      server: 'none',
      code: 'SERVER_NOT_FOUND',
      reason: "Server 'none' not found in toolbox 'dev'",
    },
    starting,
    ready,
    {
      is: 'refused',
      ...named,
      tool: 'none',
      code: 'TOOL_NOT_FOUND',
      reason: expect.stringMatching(/^Tool 'none' not found/),
    },
    {
      is: 'refused',
      toolbox: 'none',
      client,
      code: 'TOOLBOX_NOT_FOUND',
      reason: expect.stringMatching(/^Toolbox 'none' not found/),
    },
  ]);
});

test('each call has an id of its own, and the trace id that its agent sent', async () => {
  const { workbench, seen } = observed();
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const meta = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
  await workbench.useTool(echo, {}, { agent, meta });
  await observed().workbench.useTool(echo, {}, { agent });
  await Promise.resolve(workbench.useTool({ ...echo, name: 'none' }, {}, { agent, meta })).catch(() => {});
  await workbench.useTool(echo, {}, { agent, meta: { traceparent: 'malformed' } });
  const calls = seen.filter(({ call }) => call !== undefined);
  const first = Number(calls[0]?.['call']);
  expect(calls).toMatchObject([
    { is: 'called', trace },
    { is: 'refused', call: first + 2, trace },
    { is: 'called', call: first + 3, trace: undefined },
  ]);
});

test('a call over the limits of its server is refused, the others end', async () => {
  const { fake, workbench, events } = observed({ limits: { maxConcurrentCalls: 1, maxQueuedCalls: 0 } });
  await workbench.openToolbox('dev');
  const release = pending<CallToolResult>();
  fake.onCall = () => release.promise;
  const first = workbench.useTool(echo, {}, { agent });
  await workbench.useTool(echo, {}, { agent }).then(undefined, () => {});
  release.resolve({ content: [] });
  await first;
  expect(events().slice(3)).toEqual([
    { is: 'refused', ...named, code: 'SERVER_BUSY', reason: expect.stringContaining('1') },
    { is: 'called', ...named, outcome: 'ok' },
  ]);
});

test('a failed start and a broken connection are reported with kind and reason; a crash loop is refused', async () => {
  const { fake, workbench, events } = observed();
  fake.onStart = async () => {
    throw new DownstreamFailure('crashed', 'it exited\nwith code 7');
  };
  for (let start = 0; start < 7; start++) await workbench.useTool(echo, {}, { agent }).then(undefined, () => {});
  const failed = { of: 'dev fs', is: 'failed', kind: 'crashed', reason: 'it exited | with code 7' };
  const refused = {
    is: 'refused',
    ...named,
    code: 'SERVER_UNAVAILABLE',
    reason: expect.stringMatching(/^(it exited|crash loop: .*)$/),
  };
  expect(events()).toEqual([...Array.from({ length: 6 }, () => [starting, failed, refused]).flat(), refused]);

  const other = observed();
  await other.workbench.openToolbox('dev', { agent });
  other.fake.crash('it was killed by SIGKILL');
  expect(other.events().at(-1)).toEqual({
    of: 'dev fs',
    is: 'ended',
    kind: 'crashed',
    reason: 'it was killed by SIGKILL',
  });
});

function answer(fake: FakeServer, result: CallToolResult): void {
  fake.onCall = async () => result;
}

function failWith(fake: FakeServer, kind: 'crashed' | 'timeout' | 'cancelled'): void {
  fake.onCall = async () => {
    throw new DownstreamFailure(kind, 'it failed\nin many lines');
  };
}

test('a start that is given up because the entry has changed is reported as cancelled', async () => {
  const { fake, workbench, events } = observed();
  const held = pending<void>();
  fake.onStart = () => held.promise;
  const opening = workbench.openToolbox('dev', { agent });
  await vi.waitFor(() => expect(events()).toEqual([starting]));
  fake.onStart = async () => {};
  workbench.apply(configOf([serverConfig({ fingerprint: 'another' })]));
  held.resolve();
  await opening;
  expect(events()).toEqual([
    starting,
    { of: 'dev fs', is: 'failed', kind: 'cancelled', reason: 'it has changed in the configuration' },
    starting,
    ready,
    { is: 'opened', toolbox: 'dev', client },
  ]);
  await workbench.close();
});

test.each(['when it is ready', 'during its start'])(
  'a connection that belongs to another session from now on is not a crash: the next call gets another one (%s)',
  async (when) => {
    const { fake, workbench, events } = observed();
    const late = pending<CallToolResult>();
    fake.onList = async () => {
      fake.onList = async () => {};
      if (when === 'during its start') fake.listener?.moved();
    };
    await workbench.openToolbox('dev', { agent });
    fake.onCall = () => late.promise;
    const inFlight = when === 'when it is ready' ? workbench.useTool(echo, {}, { agent }) : undefined;
    await vi.advanceTimersByTimeAsync(0);
    if (inFlight !== undefined) fake.listener?.moved();
    fake.onCall = async () => ({ content: [] });
    await workbench.useTool(echo, {}, { agent });
    late.resolve({ content: [{ type: 'text', text: 'late' }] });
    if (inFlight !== undefined) expect((await inFlight).value()).toMatchObject({ content: [{ text: 'late' }] });
    expect(fake.starts).toBe(2);
    expect(events().map(({ is }) => is)).toEqual(expect.arrayContaining(['moved']));
    expect(events().map(({ is }) => is)).not.toContain('ended');
  },
);
