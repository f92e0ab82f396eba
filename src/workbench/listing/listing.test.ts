import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messyTool } from '../../../test/support/messy-schemas.js';
import { listedTools } from '../../../test/support/real-tools.js';
import { startStopwatch } from '../../../test/support/stopwatch.js';
import type { Tool } from '../../contract/types.js';
import type { ListedTool, ToolListing } from './listed-tool.js';
import { type ListingOptions, listTools } from './listing.js';

/** The tools of these servers. */
function toolsOf(...servers: (keyof typeof listedTools)[]): ListedTool[] {
  return servers.flatMap((server) => listedTools[server].map((tool) => ({ toolbox: 'dev', server, tool })));
}

const real = toolsOf('everything', 'filesystem', 'memory');
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
  const answer = answerOf(listing);
  const size = options.inBytes ? Buffer.byteLength(answer) : answer.length;
  expect(size).toBeLessThanOrEqual(Math.max(budgetChars, JSON.stringify(base).length));
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
    expect((await list(real, exactly - 1)).notes[0]).toMatch(/without output schemas|with input schemas only/);
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

  test('keeps whole input schemas in rows, if they fit without what no call needs', async () => {
    const files = toolsOf('filesystem');
    const { tools, columns, rows = [], notes } = await list(files, 7_900);
    expect(tools).toEqual([]);
    expect(columns).toEqual(['server', 'name', 'description', 'inputSchema']);
    expect(rows).toEqual(
      files.map(({ tool: { name, description, inputSchema } }) => {
        const { $schema: _, ...schema } = inputSchema;
        return ['filesystem', name, description, schema];
      }),
    );
    expect(notes[1]).toContain('14 tools are shown with input schemas only: ');
  });

  test('steps down to signatures, names and counts as the budget shrinks', async () => {
    const seen = new Map<string, ToolListing>();
    const oneServer = real.map((entry) => ({ ...entry, server: 'all' }));
    for (let budget = 40_000; budget > 150; budget = Math.floor(budget * 0.93)) {
      const listing = await list(oneServer, budget);
      const step = listing.columns?.join() ?? (listing.tools.length > 0 ? 'full' : listing.notes.join().split(' ')[0]);
      if (!seen.has(String(step))) seen.set(String(step), listing);
    }
    expect([...seen.keys()]).toEqual([
      'full',
      'server,name,description,inputSchema',
      'server,name,description,signature,inputSchema',
      'server,name,description,signature',
      'server,name',
      'server,tools',
      'There',
      '36',
    ]);
    expect(seen.get('server,name,description,signature')?.rows?.at(13)).toEqual([
      'all',
      'read_file',
      'Read the complete…',
      '(path: string, tail?: number, head?: number)',
    ]);
    expect(seen.get('server,name')?.rows?.at(13)).toEqual(['all', 'read_file']);
    expect(seen.get('server,tools')?.rows).toEqual([['all', '36']]);
    for (const [step, { notes }] of seen) if (step !== 'full') expect(notes.join(' ')).toMatch(/query/);
  });

  test('names tools of every server, also of those with long names', async () => {
    const inputSchema = { type: 'object' as const };
    const entries = Array.from({ length: 60 }, (_, server) =>
      Array.from({ length: 8 }, (_tool, at) => ({
        toolbox: 'dev',
        server: `${server % 4 === 0 ? 's'.repeat(90) : 'server'}-${server}`,
        tool: { name: `a_tool_with_number_${at}`, inputSchema },
      })),
    ).flat();
    const listing = await list(entries, 7_000);
    expect(listing.columns).toEqual(['server', 'name']);
    expect(new Set(listing.rows?.map(([server]) => server)).size).toBe(60);
    expect(answerOf(listing).length).toBeGreaterThan(0.8 * 7_000);
  });

  test('promises no output schema that fits in no answer', async () => {
    const properties = { a: { type: 'string', description: 'x'.repeat(9_000) } };
    const tools = ['one', 'two'].map((name) => ({ name, inputSchema: { type: 'object', properties: {} } }));
    const listed = tools.map((tool) => ({ ...tool, outputSchema: { type: 'object', properties } }) as Tool);
    const { notes } = await list(
      listed.map((tool) => ({ toolbox: 'dev', server: 'a', tool })),
      5_000,
    );
    expect(notes[0]).toContain('2 tools are shown without output schemas');
    expect(notes.join()).not.toContain('Full schemas');
  });

  test('says what was reduced and how to get more', async () => {
    expect((await list(real, 6_000)).notes).toEqual([
      'The tools are in rows, not in tools; columns names the cells.',
      expect.stringMatching(
        /^\d tools are shown with input schemas only, \d+ with signatures instead of schemas \(… marks what is left out\): this answer is limited to 6000 characters \(openBudgetChars in the configuration\)\.$/,
      ),
      "Left out of descriptions, because most tools have it: 'Only works within allowed directories.'.",
      'Full schemas: open_toolbox({"toolbox":"dev","tools":["echo"]}). Tools for a task: open_toolbox({"toolbox":"dev","query":"what to do"}).',
    ]);
    expect((await list(real, 20_000)).notes[0]).toBe('More tools are in rows; columns names the cells.');
    expect((await list(real, 7_000, { inBytes: true, byClient: true })).notes[1]).toContain(
      'limited to 7000 bytes (this client shows no more)',
    );
  });

  test('shows no more detail than requested, and less if that does not fit', async () => {
    expect((await list(real, 100_000, { detail: 'full' })).tools).toHaveLength(36);
    const signatures = await list(real, 100_000, { detail: 'signatures' });
    expect(signatures.columns).toEqual(['server', 'name', 'description', 'signature']);
    expect(signatures.rows?.at(13)?.at(2)).toBe('Read the complete contents of a file as text.');
    expect(signatures.notes.join()).not.toContain('openBudgetChars');
    expect((await list(real, 100_000, { detail: 'names' })).columns).toEqual(['server', 'name']);
    expect((await list(real, 100_000, { detail: 'names' })).notes.join()).not.toContain('openBudgetChars');
    expect((await list(real, 1_700, { detail: 'signatures' })).rows?.some((row) => row.length === 2)).toBe(true);
    expect((await list(real, 800, { detail: 'names' })).columns).toEqual(['server', 'tools']);
  });

  test('gives one huge tool the longest signature that fits, and promises no schema that does not', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `parameter_${index}`,
        { type: 'string', description: 'd'.repeat(200) },
      ]),
    );
    const huge = toolNamed('huge', { inputSchema: { type: 'object', properties }, description: 'Does all. And more.' });
    const { rows = [], notes } = await list([huge], 20_000);
    expect(rows).toEqual([['s', 'huge', 'Does all. And more.', expect.stringContaining('parameter_299?: string')]]);
    expect(JSON.stringify(rows).length).toBeGreaterThan(16_000);
    expect(notes).toEqual([
      'The tools are in rows, not in tools; columns names the cells.',
      'The tool is shown with a signature instead of its schema (… marks what is left out): this answer is limited to 20000 characters (openBudgetChars in the configuration).',
      'Schemas too large for an answer: huge (75261 characters).',
    ]);
    expect((await list([huge], 1_000)).rows?.[0]?.[3]).toMatch(/^\(parameter_0\?, parameter_1\?.*…\)$/);
    const both = await list([huge, ...toolsOf('circleci')], 20_000);
    expect(both.notes.join(' ')).toMatch(/answer: huge .* Full schemas: .*\["get_build_failure_logs"\]/);
  });

  test('gives one tool the whole answer: its schema to the character, then a cut description', async () => {
    const [circle] = toolsOf('circleci');
    if (circle === undefined) throw new Error('no tool');
    const { description = '', inputSchema } = circle.tool;
    const whole = await list([circle], 10_000);
    expect(whole.tools).toEqual([{ ...circle.tool, toolbox: 'dev', server: 'circleci' }]);
    const { rows: [row = []] = [] } = await list([circle], 4_500);
    const { $schema: _, ...schema } = inputSchema;
    expect(row.at(-1)).toEqual(schema);
    expect(JSON.stringify(row[2]).length).toBeLessThan(JSON.stringify(description).length);
    expect(row[2]).toContain('EXACTLY ONE of these THREE options');
  });

  test('leaves out sentences that most tools of a server share, and says so once', async () => {
    const shared = 'This is the public Twilio REST API.';
    const twilio = Array.from({ length: 60 }, (_, index) =>
      toolNamed(`Tool${index}`, { description: `${shared} Reads the calls of queue ${index}. ${'More. '.repeat(60)}` }),
    );
    const { rows = [], notes } = await list(twilio, 7_000);
    expect(rows[7]?.[2]).toMatch(/^Reads the calls of queue 7\./);
    expect(notes).toContain(`Left out of descriptions, because most tools have it: '${shared}'.`);
    const brief = await list(twilio, 20_000, { detail: 'signatures' });
    expect(brief.rows?.[7]).toEqual(['s', 'Tool7', 'Reads the calls of queue 7.', '()']);
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
    const { tools, rows, notes } = await list([deep, toolNamed('b')], 20_000);
    expect(rows).toEqual([['s', 'deep', '', expect.stringMatching(/^\(x\?: /)]]);
    expect(tools.map(({ name }) => name)).toEqual(['b']);
    expect(notes).toContain('Schemas too large for an answer: deep.');
  });

  test('lists the first tools of a server with thousands, and the others with their schemas', async () => {
    const memory = toolsOf('memory');
    const { columns, rows = [], notes } = await list([...crowd('loud', 2_000), ...memory], 20_000);
    expect(columns).toEqual(['server', 'name', 'description', 'inputSchema']);
    expect(rows.slice(-9).map(([server, name]) => [server, name])).toEqual(
      memory.map(({ tool: { name } }) => ['memory', name]),
    );
    for (const row of rows.slice(-9)) expect(row).toHaveLength(4);
    expect(rows.slice(0, -9).every(([server]) => server === 'loud')).toBe(true);
    expect(notes.join(' ')).toContain(`Not listed: ${2_000 - (rows.length - 9)} tools of loud.`);
  });

  test('shows only a server with hundreds of tools with less detail', async () => {
    const { rows = [] } = await list([...crowd('loud', 350), ...real], 32_000);
    const shown = rows.filter(([server]) => server !== 'loud');
    expect(rows).toHaveLength(386);
    expect(shown.map(([, name]) => name)).toEqual(real.map(({ tool }) => tool.name));
    for (const row of shown) expect(row.length).toBeGreaterThanOrEqual(4);
    expect(JSON.stringify(shown).length).toBeGreaterThan(12_000);
  });

  test('of several middling servers and one with thousands of tools cuts only that one', async () => {
    const middling = Array.from({ length: 10 }, (_, box) =>
      real.map((entry) => ({ ...entry, server: `s${box}` })),
    ).flat();
    const { tools, columns, rows = [], notes } = await list([...middling, ...crowd('loud', 2_000)], 32_000);
    expect(tools).toEqual([]);
    expect(columns).toContain('name');
    expect(rows.filter(([server]) => server !== 'loud')).toHaveLength(360);
    expect(notes.join(' ')).toMatch(/Not listed: \d+ tools of loud\./);
  });

  test('is not reduced to counts by a tool whose name is hard to quote', async () => {
    const odd = [toolNamed('"'.repeat(128)), toolNamed('\u0001'.repeat(60)), ...real];
    expect((await list(odd, 6_000)).rows).toHaveLength(38);
  });

  test('of no tools is empty', async () => {
    expect(await list([], 10)).toEqual({ tools: [], notes: [] });
  });

  test('of very many tools is fast', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) =>
      toolNamed(`tool_${index}`, { description: 'd'.repeat(500) }),
    );
    const elapsed = startStopwatch();
    expect((await list(many, 32_000)).rows?.length).toBeGreaterThan(1_000);
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
        fc.boolean(),
        async (entries, budget, level, withToolbox, inBytes) => {
          const options = { detail: level, withToolbox, inBytes };
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

  const words = fc
    .array(fc.constantFrom('read', 'the', 'list', 'of', 'files', 'and', 'returns', '文件', '"it".'), {
      minLength: 5,
      maxLength: 80,
    })
    .map((some) => some.join(' '));
  const properties = fc.dictionary(
    fc.string({ minLength: 3, maxLength: 12, unit: 'grapheme-ascii' }),
    fc.record({ type: fc.constantFrom('string', 'number', 'boolean'), description: words }),
    { maxKeys: 8 },
  );
  const usualTool = fc.record({ description: words, properties });
  const usualServers = fc.array(fc.array(usualTool, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 });

  test('uses at least 80 % of the budget, if not everything is shown in full', async () => {
    await fc.assert(
      fc.asyncProperty(
        usualServers,
        fc.integer({ min: 3_000, max: 20_000 }),
        fc.boolean(),
        async (all, budget, inBytes) => {
          const entries = all.flatMap((tools, server) =>
            tools.map(({ description, properties: own }, index) => ({
              ...toolNamed(`tool_${index}`, { description, inputSchema: { type: 'object', properties: own } }),
              server: `s${server}`,
            })),
          );
          const listing = await list(entries, budget, { inBytes });
          if (listing.tools.length === entries.length && listing.notes.length === 0) return;
          const answer = answerOf(listing);
          expect(inBytes ? Buffer.byteLength(answer) : answer.length).toBeGreaterThanOrEqual(0.8 * budget);
        },
      ),
      { numRuns: 100 },
    );
  });
});
