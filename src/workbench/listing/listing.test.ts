import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messyTool } from '../../../test/support/messy-schemas.js';
import { realTools } from '../../../test/support/real-tools.js';
import { startStopwatch } from '../../../test/support/stopwatch.js';
import type { Tool } from '../../contract/types.js';
import type { ListedTool, ToolListing } from './listed-tool.js';
import { type ListingOptions, listTools } from './listing.js';

const real: readonly ListedTool[] = Object.entries(realTools).flatMap(([server, tools]) =>
  tools.map((tool) => ({ toolbox: 'dev', server, tool })),
);
const base = { toolbox: 'dev', description: 'For development', servers_connected: 3, tools: [] };

/** The answer as it is sent, and its length. */
function answerOf(listing: ToolListing): string {
  const { notes, ...rest } = listing;
  return JSON.stringify({ ...base, ...rest, ...(notes.length > 0 && { notes }) });
}

async function list(
  entries: readonly ListedTool[],
  budgetChars: number,
  options: Partial<ListingOptions> = {},
): Promise<ToolListing> {
  const listing = await listTools(entries, { overheadChars: JSON.stringify(base).length, budgetChars, ...options });
  expect(answerOf(listing).length).toBeLessThanOrEqual(Math.max(budgetChars, JSON.stringify(base).length));
  return listing;
}

function isInOrder(some: readonly unknown[], all: readonly unknown[]): boolean {
  let at = 0;
  for (const one of all) if (at < some.length && some[at] === one) at++;
  return at === some.length;
}

/** A server with many tools. */
function crowd(server: string, count: number): ListedTool[] {
  return Array.from({ length: count }, (_, index) => ({ ...toolNamed(`crowding_tool_${index}`), server }));
}

function toolNamed(name: string, more: Partial<Tool> = {}): ListedTool {
  return { toolbox: 'dev', server: 's', tool: { name, inputSchema: { type: 'object' }, ...more } };
}

describe('a listing', () => {
  test('has full detail while the whole answer fits, to the character', async () => {
    const full = await list(real, 100_000);
    expect(full).toEqual({
      tools: real.map(({ toolbox, server, tool: own }) => ({ ...own, toolbox, server })),
      notes: [],
    });
    const exactly = answerOf(full).length;
    expect(await list(real, exactly)).toEqual(full);
    expect((await list(real, exactly - 1)).tools.length).toBeLessThan(full.tools.length);
  });

  test('drops unreferenced definitions', async () => {
    const own = toolNamed('t', { inputSchema: { type: 'object', $defs: { Unused: {} } } });
    expect((await list([own], 1_000)).tools).toEqual([
      { name: 't', inputSchema: { type: 'object' }, toolbox: 'dev', server: 's' },
    ]);
  });

  test('drops output schemas before input schemas', async () => {
    const outputSchema = { type: 'object', description: 'x'.repeat(2_000) };
    const listing = await list([toolNamed('a', { outputSchema }), toolNamed('b')], 1_000);
    expect(listing.tools.map(({ name, outputSchema: shown }) => [name, shown])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
    expect(listing.notes[0]).toContain('2 tools are shown without output schemas');
    const alone = await list([toolNamed('a', { outputSchema })], 1_000);
    expect(alone.notes[0]).toContain('The tool is shown without its output schema');
  });

  test('steps down to signatures, parameters, names and counts as the budget shrinks', async () => {
    const seen = new Map<string, ToolListing>();
    const oneServer = real.map((entry) => ({ ...entry, server: 'all' }));
    for (let budget = 20_000; budget > 150; budget = Math.floor(budget * 0.97)) {
      const listing = await list(oneServer, budget);
      const step = listing.columns?.join() ?? (listing.tools.length > 0 ? 'full' : listing.notes.join().split(' ')[0]);
      if (!seen.has(String(step))) seen.set(String(step), listing);
    }
    expect([...seen.keys()]).toEqual([
      'full',
      'server,name,description,signature',
      'server,name,parameters',
      'server,name',
      'server,tools',
      'There',
      '36',
    ]);
    expect(seen.get('server,name,description,signature')?.rows?.at(13)).toEqual([
      'all',
      'read_file',
      'Read the complete contents of a file as text.',
      '(path: string, tail?: number, head?: number)',
    ]);
    expect(seen.get('server,name,parameters')?.rows?.at(13)).toEqual(['all', 'read_file', 'path, tail?, head?']);
    expect(seen.get('server,name')?.rows?.at(13)).toEqual(['all', 'read_file']);
    expect(seen.get('server,tools')?.rows).toEqual([['all', '36']]);
    for (const [step, { notes }] of seen) if (step !== 'full') expect(notes.join(' ')).toMatch(/query/);
  });

  test('says what was reduced and how to get more', async () => {
    expect((await list(real, 8_000)).notes).toEqual([
      '36 tools are shown with signatures instead of schemas (… marks what is left out): this answer is limited to 8000 characters (openBudgetChars in the configuration).',
      'Full schemas: open_toolbox({"toolbox":"dev","tools":["echo"]}). Tools for a task: open_toolbox({"toolbox":"dev","query":"what to do"}).',
    ]);
  });

  test('shows no more detail than requested, and less if that does not fit', async () => {
    expect((await list(real, 100_000, { detail: 'full' })).tools).toHaveLength(36);
    expect((await list(real, 100_000, { detail: 'signatures' })).columns).toContain('signature');
    expect((await list(real, 100_000, { detail: 'names' })).columns).toEqual(['server', 'name']);
    expect((await list(real, 100_000, { detail: 'names' })).notes.join()).not.toContain('openBudgetChars');
    expect((await list(real, 2_000, { detail: 'signatures' })).columns).toEqual(['server', 'name']);
    expect((await list(real, 1_000, { detail: 'names' })).columns).toEqual(['server', 'tools']);
  });

  test('gives one huge tool the longest signature that fits', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `parameter_${index}`,
        { type: 'string', description: 'd'.repeat(200) },
      ]),
    );
    const huge = toolNamed('huge', { inputSchema: { type: 'object', properties }, description: 'Does all. And more.' });
    const { rows = [], notes } = await list([huge], 32_000);
    expect(rows).toEqual([['s', 'huge', 'Does all.', expect.stringContaining('parameter_299?: string')]]);
    expect(notes.join()).toContain('openBudgetChars');
    expect((await list([huge], 1_000)).rows?.[0]?.[3]).toMatch(/^\(parameter_0\?, parameter_1\?.*…\)$/);
  });

  test('names the toolbox of each tool on request', async () => {
    const elsewhere = { ...toolNamed('a'), toolbox: 'other' };
    const { columns, rows } = await list([toolNamed('a'), elsewhere], 10_000, { detail: 'names', withToolbox: true });
    expect(columns).toEqual(['toolbox', 'server', 'name']);
    expect(rows).toEqual([
      ['dev', 's', 'a'],
      ['other', 's', 'a'],
    ]);
  });

  test('counts servers of the same name in different toolboxes separately', async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({
      ...toolNamed(`tool_${index}`),
      toolbox: `t${index % 2}`,
    }));
    expect((await list(many, 500, { withToolbox: true })).rows).toEqual([
      ['t0', 's', '100'],
      ['t1', 's', '100'],
    ]);
  });

  test('keeps a tool whose schema is nested too deeply to serialize', async () => {
    let nested: unknown = {};
    for (let i = 0; i < 100_000; i++) nested = { items: nested };
    const deep = toolNamed('deep', { inputSchema: { type: 'object', properties: { x: nested } } });
    expect((await list([deep, toolNamed('b')], 32_000)).rows?.map(([, name]) => name)).toEqual(['deep', 'b']);
  });

  test('counts a server with thousands of tools and shows the others in full', async () => {
    const memory = real.filter(({ server }) => server === 'memory');
    const { tools, rows = [], notes } = await list([...crowd('loud', 2_000), ...memory], 32_000);
    expect(tools).toEqual((await list(memory, 32_000)).tools);
    expect(rows).toEqual([['loud', '2000']]);
    expect(notes.join(' ')).toContain('There are 2000 tools, too many to list');
  });

  test('shows only a server with hundreds of tools with less detail', async () => {
    const { tools, rows = [] } = await list([...crowd('loud', 350), ...real], 32_000);
    expect(tools.map(({ name }) => name)).toEqual(real.map(({ tool }) => tool.name));
    expect(rows.map(([server]) => server)).toEqual(Array.from({ length: 350 }, () => 'loud'));
  });

  test('of several middling servers and one with thousands of tools counts only that one', async () => {
    const middling = Array.from({ length: 10 }, (_, box) =>
      real.map((entry) => ({ ...entry, server: `s${box}` })),
    ).flat();
    const { tools, columns, rows = [], notes } = await list([...middling, ...crowd('loud', 2_000)], 32_000);
    expect(tools).toEqual([]);
    expect(columns).toContain('name');
    expect(rows.length).toBe(360);
    expect(notes.join(' ')).toContain('Not listed: 2000 tools of loud.');
  });

  test('of no tools is empty', async () => {
    expect(await list([], 10)).toEqual({ tools: [], notes: [] });
  });

  test('of very many tools is fast', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) =>
      toolNamed(`tool_${index}`, { description: 'd'.repeat(500) }),
    );
    const elapsed = startStopwatch();
    expect((await list(many, 32_000)).rows).toEqual([['s', '5000']]);
    expect(elapsed()).toBeLessThan(500);
  });

  test('never exceeds the budget, is deterministic and keeps names and order, whatever the tools', async () => {
    const entry = fc.record({
      toolbox: fc.constantFrom('dev', '__proto__', 'x'.repeat(100)),
      server: fc.constantFrom('fs', '__proto__', '🚀', 'y'.repeat(100)),
      tool: messyTool,
    });
    const detail = fc.constantFrom('full' as const, 'signatures' as const, 'names' as const);
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 8 }),
        fc.nat({ max: 6_000 }),
        detail,
        fc.boolean(),
        async (entries, budget, level, withToolbox) => {
          const options = { detail: level, withToolbox };
          const listing = await list(entries, budget, options);
          expect(await list(structuredClone(entries), budget, options)).toEqual(listing);
          const { tools, columns = [], rows = [] } = listing;
          for (const row of rows) expect(row.length).toBeLessThanOrEqual(columns.length);
          const at = columns.indexOf('name');
          const names = entries.map((one) => one.tool.name);
          const inFull = tools.map(({ name }) => name);
          const inRows = at < 0 ? [] : rows.map((row) => row[at]);
          expect(isInOrder(inFull, names)).toBe(true);
          expect(isInOrder(inRows, names)).toBe(true);
          const isCounted =
            columns.includes('tools') || tools.length + rows.length === 0 || /Not listed:/.test(listing.notes.join());
          if (!isCounted) expect(inFull.length + inRows.length).toBe(names.length);
        },
      ),
      { numRuns: 100 },
    );
  });
});
