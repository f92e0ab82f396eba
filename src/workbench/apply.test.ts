import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configOf, connectTo, FakeServer, pending, serverConfig } from '../../test/support/fake-port.js';
import { until } from '../../test/support/until.js';
import { silentLog } from '../platform/log.js';
import { createWorkbench } from './workbench.js';

type Settings = Parameters<typeof serverConfig>[0];

/** A server whose fingerprint is its version. */
const server = (name: string, version: string, more: Settings = {}) =>
  serverConfig({ name, fingerprint: version, ...more });

function workbenchOf(fakes: Readonly<Record<string, FakeServer>>, version = '1') {
  const servers = Object.keys(fakes).map((name) => server(name, version));
  return createWorkbench(configOf(servers), connectTo(fakes), silentLog);
}

const use = (name: string, tool = 'echo') => ({ toolbox: 'dev', server: name, name: tool });

/** A server whose calls end when the test says so. */
function heldServer() {
  const fake = new FakeServer();
  const held: ReturnType<typeof pending<{ content: [] }>>[] = [];
  fake.onCall = () => {
    const call = pending<{ content: [] }>();
    held.push(call);
    return call.promise;
  };
  const release = () => {
    for (const call of held.splice(0)) call.resolve({ content: [] });
  };
  return { fake, held, release };
}

describe('another configuration', () => {
  test('restarts the servers whose entry has changed, and no others', async () => {
    const [a, b] = [new FakeServer(), new FakeServer()];
    const workbench = workbenchOf({ a, b });
    await workbench.openToolbox('dev');
    workbench.apply(configOf([server('a', '1'), server('b', '2')]));
    await workbench.openToolbox('dev');
    expect([a.starts, a.closes, b.starts, b.closes]).toEqual([1, 0, 2, 1]);
  });

  test('does not restart a server for other filters and limits, which hold at once', async () => {
    const a = new FakeServer();
    a.tools = ['read', 'write'];
    const workbench = workbenchOf({ a });
    await workbench.openToolbox('dev');
    workbench.apply(configOf([server('a', '1', { toolFilters: ['read'], limits: { callTimeoutMs: 5 } })]));
    expect((await workbench.openToolbox('dev')).tools.map(({ name }) => name)).toEqual(['read']);
    const found = await workbench.openToolbox({ toolbox: '*', query: 'read; write' });
    expect(JSON.stringify(found.rows)).toContain('read');
    expect(JSON.stringify(found.rows)).not.toContain('write');
    await expect(workbench.useTool(use('a', 'write'))).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
    expect(a.limits?.callTimeoutMs).toBe(5);
    workbench.apply(configOf([server('a', '1')]));
    expect((await workbench.openToolbox('dev')).tools.map(({ name }) => name)).toEqual(['read', 'write']);
    expect(a.starts).toBe(1);
  });

  test('lets running calls end before the server does, and starts the new one only then', async () => {
    const { fake, held, release } = heldServer();
    const workbench = workbenchOf({ a: fake });
    const before = workbench.useTool(use('a'));
    await until(() => held.length === 1);
    workbench.apply(configOf([server('a', '2')]));
    const after = workbench.useTool(use('a'));
    await new Promise(setImmediate);
    expect([fake.starts, fake.closes, held.length]).toEqual([1, 0, 1]);
    release();
    await before;
    await until(() => held.length === 1);
    expect([fake.starts, fake.closes]).toEqual([2, 1]);
    release();
    await after;
  });

  test('passes calls and listings that wait for a start on to the new server, without waiting for that start', async () => {
    const fake = new FakeServer();
    let isHanging = true;
    fake.onStart = (signal) =>
      isHanging
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        : Promise.resolve();
    const workbench = workbenchOf({ a: fake });
    const [opened, called] = [workbench.openToolbox('dev'), workbench.useTool(use('a'))];
    await until(() => fake.starts === 1);
    isHanging = false;
    workbench.apply(configOf([server('a', '2')]));
    expect((await opened).tools).toHaveLength(1);
    await called;
    expect(fake.starts).toBe(2);
  });

  test('ends a server that was removed when its call has ended; until then it cannot be called', async () => {
    const { fake, held, release } = heldServer();
    const workbench = workbenchOf({ a: fake, b: new FakeServer() });
    const call = workbench.useTool(use('a'));
    await until(() => held.length === 1);
    workbench.apply(configOf([server('b', '1')]));
    await expect(workbench.useTool(use('a'))).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' });
    expect(fake.closes).toBe(0);
    release();
    await call;
    await until(() => fake.closes === 1);
    expect(fake.running).toBe(0);
  });

  test('does not start a server that comes back before the old process has ended', async () => {
    const { fake, held, release } = heldServer();
    const workbench = workbenchOf({ a: fake });
    const call = workbench.useTool(use('a'));
    await until(() => held.length === 1);
    workbench.apply(configOf([]));
    workbench.apply(configOf([server('a', '1')]));
    const opened = workbench.openToolbox('dev');
    await new Promise(setImmediate);
    expect(fake.starts).toBe(1);
    release();
    await call;
    expect((await opened).servers_connected).toBe(1);
    expect(fake.starts).toBe(2);
  });

  test('ends calls that run longer than their server allows', async () => {
    const { fake, held } = heldServer();
    const workbench = createWorkbench(
      configOf([server('a', '1', { limits: { callTotalTimeoutMs: 20 } })]),
      connectTo({ a: fake }),
      silentLog,
    );
    void workbench.useTool(use('a')).then(undefined, () => {});
    await until(() => held.length === 1);
    workbench.apply(configOf([]));
    await until(() => fake.closes === 1);
  });

  test('is closed with everything that is still ending', async () => {
    const { fake, held } = heldServer();
    const workbench = workbenchOf({ a: fake });
    void workbench.useTool(use('a')).then(undefined, () => {});
    await until(() => held.length === 1);
    workbench.apply(configOf([server('a', '2')]));
    await workbench.close();
    expect([fake.closes, fake.running]).toEqual([1, 0]);
    workbench.apply(configOf([server('a', '3')]));
    await expect(workbench.openToolbox('dev')).rejects.toMatchObject({ code: 'WORKBENCH_CLOSED' });
  });

  test('keeps the tools of unchanged servers in the search, and forgets removed ones', async () => {
    const [a, b] = [new FakeServer(), new FakeServer()];
    [a.tools, b.tools] = [['find_weather'], ['find_trains']];
    const workbench = workbenchOf({ a, b });
    await workbench.openToolbox('dev');
    workbench.apply(configOf([server('a', '1')]));
    const found = await workbench.openToolbox({ toolbox: '*', query: 'weather; trains' });
    expect(JSON.stringify(found.rows)).toContain('find_weather');
    expect(JSON.stringify(found.rows)).not.toContain('find_trains');
  });
});

describe('a note', () => {
  test('is in the next answer, once, and within its budget', async () => {
    const a = new FakeServer();
    a.tools = Array.from({ length: 500 }, (_, index) => `a_tool_with_a_long_name_${index}`);
    const config = { ...configOf([server('a', '1')]), openBudgetChars: 5_000 };
    const workbench = createWorkbench(config, connectTo({ a }), silentLog);
    workbench.note('The configuration is broken.');
    const answer = await workbench.openToolbox('dev');
    expect(answer.notes).toContain('The configuration is broken.');
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(5_000);
    expect((await workbench.openToolbox('dev')).notes ?? []).not.toContain('The configuration is broken.');
  });

  test('waits for an answer if there is none, and is dropped when it no longer holds', async () => {
    const workbench = workbenchOf({ a: new FakeServer() });
    workbench.note('broken');
    await expect(workbench.openToolbox('nowhere')).rejects.toMatchObject({ code: 'TOOLBOX_NOT_FOUND' });
    expect((await workbench.openToolbox('*')).notes).toContain('broken');
    workbench.note('broken');
    workbench.note(undefined);
    expect((await workbench.openToolbox('*')).notes).not.toContain('broken');
  });
});

test('whatever is edited, only changed servers restart, none has two processes, and no call fails', async () => {
  const names = ['a', 'b', 'c'];
  const edit = fc.dictionary(fc.constantFrom(...names), fc.constantFrom('1', '2', '3'), { noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 8 }), async (edits) => {
      const fakes = Object.fromEntries(names.map((name) => [name, new FakeServer()]));
      const workbench = createWorkbench(configOf([]), connectTo(fakes), silentLog);
      const expected = new Map(names.map((name) => [name, 0]));
      let before: Readonly<Record<string, string>> = {};
      for (const versions of edits) {
        workbench.apply(configOf(Object.entries(versions).map(([name, version]) => server(name, version))));
        await Promise.all(Object.keys(versions).map((name) => workbench.useTool(use(name))));
        for (const [name, version] of Object.entries(versions)) {
          if (before[name] !== version) expected.set(name, (expected.get(name) ?? 0) + 1);
          expect(fakes[name]?.running).toBe(1);
        }
        before = versions;
      }
      expect(names.map((name) => fakes[name]?.starts)).toEqual([...expected.values()]);
      await workbench.close();
      expect(names.map((name) => fakes[name]?.running)).toEqual([0, 0, 0]);
    }),
  );
});
