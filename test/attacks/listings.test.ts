import { describe, expect, test } from 'vitest';
import { type Agent, connectAgent, opened, text } from '../support/agents.js';
import { residentMb } from '../support/bare-client.js';
import { devToolbox } from '../support/configs.js';
import { expectNotHeldUp, hostile } from '../support/hostile.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

/** The answer for the toolbox of a hostile server, opened while another server is in use. */
async function openAttacked(attack: string, query?: string) {
  const mcpServers = { hostile: hostile(attack) };
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
  test('of 100,000 tools has the first 2,000, says so, and holds up nobody', async () => {
    const { agent, answer } = await openAttacked('many-tools');
    expect(answer.notes).toContain("Server 'hostile': left out 98002 tools after the first 2000.");
    expect(answer.notes?.join()).toContain('There are 2000 tools');
    await expectUsable(agent);
  });

  test('of 200,000 malformed tools has one warning and one note', async () => {
    const { agent, answer } = await openAttacked('malformed-tools');
    expect(answer.notes).toEqual([
      "Server 'hostile': left out 1998 tools without a name or an input schema, 198002 tools after the first 2000.",
    ]);
    expect(answer.tools.map(({ name }) => name)).toEqual(['echo', 'attack']);
    await until(() => agent.stderr().includes('tools/list'));
    await expectUsable(agent);
    expect(agent.stderr().match(/tools\/list/g)).toHaveLength(1);
  });

  test.each(['many-properties', 'huge-pages'])('over 8 MB (%s) is cut off and never held in memory', async (attack) => {
    linuxOnly('memory in /proc');
    const { agent, answer } = await openAttacked(attack);
    expect(answer.notes).toEqual(["Server 'hostile': left out what comes after 8 MB, 100 pages or a repeated page."]);
    expect(answer.tools.map(({ name }) => name)).toEqual(['echo', 'attack']);
    expect(residentMb(agent.pid)).toBeLessThan(200);
    await expectUsable(agent);
  });

  test.each([
    ['opened', undefined],
    ['searched', 'read a file'],
    ['searched in many steps', Array.from({ length: 100_000 }, (_, at) => `read w${at.toString(36)}`).join(';')],
  ])('as large and costly as the limits allow holds up nobody when it is %s', async (_, query) => {
    const { agent, answer } = await openAttacked('worst-listing', query);
    expect(answer.notes?.join()).not.toContain('left out');
    await expectUsable(agent);
  });
});

test('3,000 tools of one server do not crowd out those of another', async () => {
  const other = fixture('--tools', 'echo,blob,sleep');
  const alone = await connectAgent('v2 modern', { config: devToolbox({ other }) });
  const agent = await connectAgent('v2 modern', { config: devToolbox({ hostile: hostile('crowding-tools'), other }) });
  const { tools, rows, notes } = opened(await agent.open('dev'));
  expect(tools).toEqual(opened(await alone.open('dev')).tools);
  expect(rows).toEqual([['hostile', '2000']]);
  expect(notes?.join(' ')).toContain('left out 1002 tools after the first 2000');
});

test('tools with hidden characters in names or values, or the name of an earlier one, are left out, and texts lose them', async () => {
  const agent = await connectAgent('v2 modern', { config: devToolbox({ hostile: hostile('hidden-text') }) });
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
