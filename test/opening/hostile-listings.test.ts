// @module-tag hostile
// @module-tag slow
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, opened, text } from '../support/agents.js';
import { residentMb } from '../support/bare-client.js';
import { devToolbox } from '../support/configs.js';
import { expectNotHeldUp, hostile, reached, type Way } from '../support/hostile.js';
import { runnerOf } from '../support/hosts.js';
import * as inProcess from '../support/in-process.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

/** The answer for the toolbox of a hostile server, opened while another server is in use. */
async function openAttacked(attack: string, query?: string, way: Way = 'stdio') {
  const mcpServers = { hostile: await reached(way, hostile(attack)) };
  const agent = await connectAgent('v2 modern', {
    config: {
      toolboxes: {
        dev: { description: 'Works', mcpServers: { other: fixture() } },
        bad: { description: 'Attacks', mcpServers },
      },
    },
  });
  const open = () => agent.call('open_toolbox', { toolbox: 'bad', ...(query !== undefined && { query }) });
  const result = await expectNotHeldUp(agent, ['dev', 'other'], open);
  return { agent, answer: opened(result) };
}

async function expectUsable(agent: Agent): Promise<void> {
  expect(text(await agent.use('bad', 'hostile', 'echo', { a: 1 }))).toBe('{"a":1}');
}

describe('a listing', { timeout: 120_000 }, () => {
  test('of 100,000 tools has the first 2,000, says so, and delays no other server', async () => {
    const { agent, answer } = await openAttacked('many-tools');
    expect(answer.notes).toContain("Server 'hostile': left out 98002 tools after the first 2000.");
    expect(answer.rows?.length).toBeGreaterThan(500);
    expect(answer.notes?.join()).toContain(`Not listed: ${2_000 - (answer.rows?.length ?? 0)} tools of hostile.`);
    await expectUsable(agent);
  });

  test('of 20,000 tools in one page over 8 MB has the first 2,000, and is not read again for an unknown name', async () => {
    const { agent, answer } = await openAttacked('large-page', undefined, 'HTTP');
    expect(answer.notes?.[0]).toMatch(
      /^Server 'hostile': left out \d+ tools after the first 2000, what comes after 8 MB, 100 pages or a repeated page\.$/,
    );
    expect(answer.rows?.length).toBeGreaterThan(500);
    expect(text(await agent.use('bad', 'hostile', 'no_such_tool'))).toContain('not found');
    expect(text(await agent.use('bad', 'hostile', 'attack', {}))).toBe('1');
  });

  test('of 200,000 malformed tools has one warning and one note', async () => {
    const { agent, answer } = await openAttacked('malformed-tools', undefined, 'HTTP');
    expect(answer.notes).toEqual([
      "Server 'hostile': left out 1998 tools without a name or an input schema, 198002 tools after the first 2000.",
    ]);
    expect(answer.tools.map(({ name }) => name)).toEqual(['echo', 'attack']);
    await until(() => agent.stderr().includes('tools/list'));
    await expectUsable(agent);
    expect(agent.stderr().match(/tools\/list/g)).toHaveLength(1);
  });

  test.each([
    ['many-properties', 'stdio'],
    ['many-properties', 'HTTP'],
    ['huge-pages', 'stdio'],
    ['huge-pages', 'HTTP'],
  ] as const)('over 8 MB (%s over %s) is cut off and never held in memory', async (attack, way) => {
    linuxOnly('memory in /proc');
    const { agent, answer } = await openAttacked(attack, undefined, way);
    expect(answer.notes).toEqual(["Server 'hostile': left out what comes after 8 MB, 100 pages or a repeated page."]);
    expect(answer.tools.map(({ name }) => name)).toEqual(['echo', 'attack']);
    expect(residentMb(runnerOf(agent))).toBeLessThan(200);
    await expectUsable(agent);
  });

  test.each([
    ['opened', undefined],
    ['searched', 'read a file'],
    ['searched in many steps', Array.from({ length: 100_000 }, (_, at) => `read w${at.toString(36)}`).join(';')],
  ])('as large and costly as the limits allow delays no other server when it is %s', async (_, query) => {
    const { agent, answer } = await openAttacked('worst-listing', query);
    expect(answer.notes?.join()).not.toContain('left out');
    await expectUsable(agent);
  });
});

test('3,000 tools of one server do not crowd out those of another', async () => {
  const other = fixture('--tools', 'echo,blob,sleep');
  const alone = await connectAgent('v2 modern', { config: devToolbox({ other }) });
  const agent = await connectAgent('v2 modern', { config: devToolbox({ hostile: hostile('crowding-tools'), other }) });
  const { columns, rows = [], notes } = opened(await agent.open('dev'));
  const schema = columns?.indexOf('inputSchema') ?? -1;
  const own = rows.filter(([server]) => server === 'other');
  expect(own.map((row) => [row[1], row[schema]])).toEqual(
    opened(await alone.open('dev')).tools.map(({ name, inputSchema }) => [name, inputSchema]),
  );
  expect(rows.length).toBeGreaterThan(own.length);
  expect(notes?.join(' ')).toContain('left out 1002 tools after the first 2000');
});

test('tools with hidden characters in names or values, or the name of an earlier one, are left out, and texts lose them', async () => {
  const config = devToolbox({ hostile: hostile('hidden-text') });
  const agent = await inProcess.connectAgent('v2 modern', { config });
  const { tools, notes } = opened(await agent.open('dev'));
  expect(tools.map(({ name }) => name)).toEqual(['echo', 'attack', 'cleaned', 'نامه\u200Cای']);
  expect(tools[2]).toMatchObject({
    title: 'Cleaned',
    description: 'Reads.',
    inputSchema: { properties: { a: { description: 'A b', enum: [',', '\u001F', '\u200B'] } } },
  });
  expect(tools[3]?.description).toBe('می\u200Cخواهم 👨\u200D👩\u200D👧');
  expect(notes).toEqual([
    "Server 'hostile': left out 6 tools with hidden characters in a name or value, or a name over 128 characters, 2 tools with the name of an earlier one; hidden characters removed from 1 tool.",
  ]);
  expect(text(await agent.use('dev', 'hostile', 'read\u202Efile'))).toContain('not found');
});
