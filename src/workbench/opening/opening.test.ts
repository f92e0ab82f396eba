import { afterEach, describe, expect, test, vi } from 'vitest';
import { configOf, connectTo, FakeServer, pending, serverConfig } from '../../../test/support/fake-port.js';
import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import { silentLog } from '../../platform/log.js';
import type { ToolCache } from '../ports/tool-cache.js';
import { createMemoryCache } from '../servers/memory-cache.js';
import { createWorkbench } from '../workbench.js';

interface Setup {
  readonly fakes: Readonly<Record<string, FakeServer>>;
  readonly budgetChars?: number;
  readonly cache?: ToolCache;
  readonly filters?: readonly string[];
  /** A server that is not in the cache. */
  readonly uncached?: string;
  readonly openTimeoutMs?: number;
}

function workbenchOf(setup: Setup) {
  const { fakes, budgetChars = 20_000, filters = ['*'], uncached, openTimeoutMs = 45_000 } = setup;
  const all = setup.cache ?? createMemoryCache();
  const servers = Object.keys(fakes).map((name) => serverConfig({ name, toolFilters: filters }));
  const notFound = servers.find(({ name }) => name === uncached)?.cacheKey;
  const get: ToolCache['get'] = async (server) => (server.cacheKey === notFound ? undefined : all.get(server));
  const cache: ToolCache = { ...all, get };
  const config = { ...configOf(servers, openTimeoutMs), openBudgetChars: budgetChars };
  return { workbench: createWorkbench(config, connectTo(fakes), silentLog, { cache }), servers };
}

function serverWith(...tools: string[]): FakeServer {
  const fake = new FakeServer();
  fake.tools = tools;
  return fake;
}

/** A cache that holds these tools for every server. */
function cacheOf(...names: string[]): ToolCache {
  const tools = names.map((name) => ({ name, inputSchema: { type: 'object' as const } }));
  return { get: async () => ({ tools, omissions: {}, instructions: undefined }), put: () => {}, flush: async () => {} };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** What the work gives while the clock is put forward. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const [result] = await Promise.all([work, vi.advanceTimersByTimeAsync(5_000)]);
  return result;
}

/** `performance` is not replaced as a whole: what it says about the event loop is used as well. */
function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const begun = Date.now();
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now() - begun);
}

const many = Array.from({ length: 300 }, (_, i) => `tool_number_${i}`);

describe('opening a toolbox', () => {
  test('never answers with more than the budget, and says what was left out and how to get it', async () => {
    for (const budgetChars of [300, 1_000, 5_000, 20_000]) {
      const { workbench } = workbenchOf({ fakes: { a: serverWith(...many) }, budgetChars });
      const opened = await workbench.openToolbox('dev');
      expect(JSON.stringify(opened).length).toBeLessThanOrEqual(budgetChars);
      expect(opened.tools.length).toBeLessThan(many.length);
      expect(opened.notes?.join(' ')).toMatch(/query/);
    }
  });

  test('shows full schemas of only the named tools, by name or by server and name', async () => {
    const { workbench } = workbenchOf({ fakes: { a: serverWith(...many, 'echo'), b: serverWith('echo') } });
    const opened = await workbench.openToolbox({
      toolbox: 'dev',
      tools: ['tool_number_7', { server: 'b', name: 'echo' }],
    });
    expect(opened.tools.map(({ server, name }) => `${server} ${name}`)).toEqual(['a tool_number_7', 'b echo']);
    expect(opened.tools[0]?.inputSchema).toEqual({ type: 'object' });
  });

  test('suggests the nearest names for a name that does not exist', async () => {
    const { workbench } = workbenchOf({ fakes: { a: serverWith('read_file', 'write_file') } });
    const opened = await workbench.openToolbox({ toolbox: 'dev', tools: ['read_fil'] });
    expect(opened.tools).toEqual([]);
    expect(opened.notes).toEqual(["Tool 'read_fil' not found. Did you mean 'read_file'?"]);
  });

  test('ranks the tools by a query', async () => {
    const { workbench } = workbenchOf({ fakes: { a: serverWith('delete_user', 'read_file', 'send_mail') } });
    const opened = await workbench.openToolbox({ toolbox: 'dev', query: 'read a file' });
    expect(opened.columns?.slice(0, 2)).toEqual(['server', 'name']);
    expect(opened.rows?.[0]?.slice(0, 2)).toEqual(['a', 'read_file']);
    expect(opened.notes?.[0]).toBe('The tools are in rows, not in tools; columns names the cells.');
    const nothing = await workbench.openToolbox({ toolbox: 'dev', query: 'xylophone' });
    expect(nothing.notes?.join()).toContain('No tool matches this query');
  });

  test('shows only names on request', async () => {
    const { workbench } = workbenchOf({ fakes: { a: serverWith('x', 'y') } });
    const opened = await workbench.openToolbox({ toolbox: 'dev', detail: 'names' });
    expect(opened).toMatchObject({
      tools: [],
      columns: ['server', 'name'],
      rows: [
        ['a', 'x'],
        ['a', 'y'],
      ],
    });
  });

  test('shows the last known tools of a slow server while it starts', async () => {
    useFakeClock();
    const slow = serverWith('live');
    const started = pending<void>();
    slow.onStart = () => started.promise;
    const { workbench } = workbenchOf({ fakes: { slow, quick: serverWith('q') }, cache: cacheOf('earlier') });
    const opened = await inTime(workbench.openToolbox('dev'));
    expect(opened.servers_connected).toBe(2);
    expect(opened).not.toHaveProperty('starting');
    expect(opened.tools.map(({ name }) => name)).toEqual(['earlier', 'q']);
    expect(opened.notes).toEqual([
      'The tools of slow are the last known ones and can be called: it is still starting.',
    ]);
    started.resolve();
    const live = await inTime(workbench.openToolbox('dev'));
    expect(live.tools.map(({ name }) => name)).toEqual(['live', 'q']);
    expect(live).not.toHaveProperty('notes');
  });

  test('reports the state of each server at the time of the answer, not at its timeout', async () => {
    useFakeClock();
    const [slow, broken] = [serverWith('live'), serverWith()];
    slow.onStart = () => wait(2_500);
    broken.onStart = async () => {
      await wait(3_000);
      throw new DownstreamFailure('crashed', 'it exited with code 1');
    };
    const { workbench } = workbenchOf({ fakes: { slow, broken }, cache: cacheOf('earlier'), uncached: 'broken' });
    const opened = await inTime(workbench.openToolbox('dev'));
    expect(opened).toMatchObject({ servers_connected: 1, unavailable: [{ server: 'broken' }] });
    expect(opened.tools.map(({ name }) => name)).toEqual(['live']);
    expect(opened).not.toHaveProperty('starting');
    expect(opened).not.toHaveProperty('notes');
  });

  test('names every server if none can be reached, however much each has to say', async () => {
    const broken = serverWith();
    broken.onStart = async () => {
      throw new DownstreamFailure('crashed', `it exited with code 1; ${'x'.repeat(400)}`);
    };
    const names = Array.from({ length: 12 }, (_, index) => `server-${index}`);
    const { workbench } = workbenchOf({ fakes: Object.fromEntries(names.map((name) => [name, broken])) });
    const message = await workbench.openToolbox('dev').then(
      () => 'it opened',
      (error: unknown) => messageOf(error),
    );
    expect(message.length).toBeLessThan(1_900);
    expect(message.split('\n')).toEqual(
      names.map((name) => expect.stringContaining(`server '${name}' in toolbox 'dev': it exited with code 1; xxx`)),
    );
  });

  test('does not show the last known tools of a server whose last start failed', async () => {
    useFakeClock();
    const broken = serverWith('live');
    broken.onStart = async () => {
      throw new DownstreamFailure('unreachable', 'no key');
    };
    const { workbench } = workbenchOf({ fakes: { broken, good: serverWith('q') }, cache: cacheOf('earlier') });
    expect(await inTime(workbench.openToolbox('dev'))).toMatchObject({ unavailable: [{ server: 'broken' }] });
    broken.onStart = async () => {
      await wait(2_500);
      throw new DownstreamFailure('unreachable', 'still no key');
    };
    const again = await inTime(workbench.openToolbox('dev'));
    expect(again).toMatchObject({ servers_connected: 1, unavailable: [{ server: 'broken', reason: 'still no key' }] });
  });

  test('names the servers that are still starting, with what they wrote last, and no others', async () => {
    useFakeClock();
    const [mute, known] = [serverWith(), serverWith('live')];
    for (const fake of [mute, known]) fake.onStart = () => new Promise(() => {});
    mute.lastWords = 'it last wrote: connect ECONNREFUSED 127.0.0.1:6379';
    const fakes = { mute, known, good: serverWith('q') };
    const { workbench } = workbenchOf({ fakes, cache: cacheOf('earlier'), uncached: 'mute', openTimeoutMs: 2_500 });
    const opened = await inTime(workbench.openToolbox('dev'));
    expect(opened).toMatchObject({ servers_connected: 2, starting: ['mute'] });
    expect(opened.tools.map(({ server }) => server)).toEqual(['known', 'good']);
    expect(opened.notes).toEqual([
      'Still starting: mute (it last wrote: connect ECONNREFUSED 127.0.0.1:6379). Call open_toolbox again in a moment to list its tools.',
      'The tools of known are the last known ones and can be called: it is still starting.',
    ]);
  });

  test('refuses to call a tool that exists only in the cache', async () => {
    const { workbench } = workbenchOf({ fakes: { a: serverWith('live') }, cache: cacheOf('gone') });
    await expect(workbench.useTool({ toolbox: 'dev', server: 'a', name: 'gone' })).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    });
  });
});

describe('opening *', () => {
  test('lists the toolboxes and starts nothing', async () => {
    const a = serverWith('x', 'y');
    const { workbench } = workbenchOf({ fakes: { a } });
    const before = await workbench.openToolbox('*');
    expect(before.rows).toEqual([['dev', 'For tests', '1', '0 + tools of 1 server not listed yet']]);
    expect(before.notes).toEqual(['The toolboxes are in rows, not in tools; open one to list its tools.']);
    expect(a.starts).toBe(0);
    await workbench.openToolbox('dev');
    expect(await workbench.openToolbox('*')).toMatchObject({
      servers_connected: 1,
      rows: [['dev', 'For tests', '1', '2']],
    });
  });

  test('lists as many of them as fit, with less about each', async () => {
    const one = configOf([serverConfig({ name: 'a' })]);
    const boxes = Array.from({ length: 200 }, (_, index) => `toolbox_${index}`);
    const [toolbox] = one.toolboxes.values();
    if (toolbox === undefined) throw new Error('no toolbox');
    const toolboxes = new Map(boxes.map((name) => [name, { ...toolbox, name }]));
    for (const openBudgetChars of [4_000, 2_000]) {
      const config = { ...one, toolboxes, openBudgetChars };
      const workbench = createWorkbench(config, connectTo({ a: serverWith() }), silentLog);
      const { columns, rows = [], notes, ...rest } = await workbench.openToolbox('*');
      expect(columns).toEqual(['toolbox']);
      expect(rows.flat()).toEqual(boxes.slice(0, rows.length));
      const left = boxes.length - rows.length;
      expect(notes?.[1]).toBe(left > 0 ? `${left} more toolboxes do not fit in this answer.` : undefined);
      const size = JSON.stringify({ ...rest, columns, rows, ...(notes && { notes }) }).length;
      expect(size).toBeLessThanOrEqual(openBudgetChars);
      expect(size).toBeGreaterThan(0.7 * openBudgetChars);
    }
  });

  test('searches the known tools of all toolboxes, applies filters, and starts nothing', async () => {
    const a = serverWith();
    const { workbench } = workbenchOf({ fakes: { a }, cache: cacheOf('read_file', 'write_file'), filters: ['read_*'] });
    const opened = await workbench.openToolbox({ toolbox: '*', query: 'file' });
    expect(opened.rows?.map((row) => row.slice(0, 3))).toEqual([['dev', 'a', 'read_file']]);
    expect(a.starts).toBe(0);
  });

  test('reads the cache again if it had nothing the last time', async () => {
    const cache = cacheOf('read_file');
    let isSlow = true;
    let reads = 0;
    const slowAtFirst: ToolCache = {
      ...cache,
      async get(server) {
        reads++;
        return isSlow ? undefined : cache.get(server);
      },
    };
    const { workbench } = workbenchOf({ fakes: { a: serverWith() }, cache: slowAtFirst });
    const request = { toolbox: '*', query: 'file' };
    expect((await workbench.openToolbox(request)).rows).toBeUndefined();
    isSlow = false;
    expect((await workbench.openToolbox(request)).rows).toHaveLength(1);
    const before = reads;
    await workbench.openToolbox(request);
    expect(reads).toBe(before);
  });

  test('names the toolboxes whose tools are not known yet', async () => {
    const { workbench } = workbenchOf({ fakes: { a: serverWith('x') } });
    const opened = await workbench.openToolbox({ toolbox: '*', query: 'x' });
    expect(opened.notes?.join(' ')).toContain('Not all tools are known yet in: dev.');
  });
});

test('the cache stores all tools of a server, whatever its filters', async () => {
  const remembered = new Map<string, readonly string[]>();
  const cache: ToolCache = {
    get: async () => undefined,
    flush: async () => {},
    put: ({ cacheKey }, { tools }) =>
      void remembered.set(
        cacheKey,
        tools.map(({ name }) => name),
      ),
  };
  const { workbench } = workbenchOf({
    fakes: { a: serverWith('read_file', 'write_file') },
    cache,
    filters: ['read_*'],
  });
  await workbench.openToolbox('dev');
  expect([...remembered.values()]).toEqual([['read_file', 'write_file']]);
});
