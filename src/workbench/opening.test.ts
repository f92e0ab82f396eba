import { describe, expect, test } from 'vitest';
import { configOf, connectTo, FakeServer, pending, serverConfig } from '../../test/support/fake-port.js';
import type { ServerConfig } from '../config/config.js';
import { silentLog } from '../platform/log.js';
import { createMemoryCache } from './memory-cache.js';
import type { ToolCache } from './ports/tool-cache.js';
import { createWorkbench } from './workbench.js';

interface Setup {
  readonly fakes: Readonly<Record<string, FakeServer>>;
  readonly budgetChars?: number;
  readonly cache?: ToolCache;
  readonly filters?: readonly string[];
}

function workbenchOf({ fakes, budgetChars = 32_000, cache = createMemoryCache(), filters = ['*'] }: Setup) {
  const servers = Object.keys(fakes).map((name) => serverConfig({ name, toolFilters: filters }));
  const config = { ...configOf(servers, 45_000), openBudgetChars: budgetChars };
  return { workbench: createWorkbench(config, connectTo(fakes), silentLog, cache), servers };
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

const many = Array.from({ length: 300 }, (_, i) => `tool_number_${i}`);

describe('opening a toolbox', () => {
  test('never answers with more than the budget, and says what was left out and how to get it', async () => {
    for (const budgetChars of [300, 1_000, 5_000, 20_000]) {
      const { workbench } = workbenchOf({ fakes: { a: serverWith(...many) }, budgetChars });
      const opened = await workbench.openToolbox('dev');
      expect(JSON.stringify(opened).length).toBeLessThanOrEqual(budgetChars);
      expect(opened.tools).toEqual([]);
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
    const slow = serverWith('live');
    const started = pending<void>();
    slow.onStart = () => started.promise;
    const { workbench } = workbenchOf({ fakes: { slow, quick: serverWith('q') }, cache: cacheOf('earlier') });
    const opened = await workbench.openToolbox('dev');
    expect(opened).toMatchObject({ servers_connected: 1, starting: ['slow'] });
    expect(opened.tools.map(({ name }) => name)).toEqual(['earlier', 'q']);
    expect(opened.notes?.join(' ')).toContain('The tools of slow are the last known ones');
    started.resolve();
    const live = await workbench.openToolbox('dev');
    expect(live.tools.map(({ name }) => name)).toEqual(['live', 'q']);
    expect(live).not.toHaveProperty('notes');
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
    expect(a.starts).toBe(0);
    await workbench.openToolbox('dev');
    expect(await workbench.openToolbox('*')).toMatchObject({
      servers_connected: 1,
      rows: [['dev', 'For tests', '1', '2']],
    });
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
  const remembered = new Map<ServerConfig, readonly string[]>();
  const cache: ToolCache = {
    get: async () => undefined,
    flush: async () => {},
    put: (server, { tools }) =>
      void remembered.set(
        server,
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
