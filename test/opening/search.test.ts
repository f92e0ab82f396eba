// @module-tag slow

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { maxQueryAnswerTokens } from '../../src/limits.js';
import { type Agent, connectAgentTo, opened, text } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { connectAgent } from '../support/in-process.js';
import { prepareLaunch } from '../support/launch.js';
import { scriptedServersWith } from '../support/processes.js';
import { realTools } from '../support/real-tools.js';
import { fixtureWith } from '../support/servers.js';
import { until } from '../support/until.js';

const servers = Object.entries(realTools);
const realServers = Object.fromEntries(servers.map(([server, tools]) => [server, fixtureWith(tools)]));

const ask = (agent: Agent, query: string, toolbox = 'dev') => agent.call('open_toolbox', { toolbox, query });

/** Server and name of the tools that a query finds. */
async function found(agent: Agent, query: string): Promise<string[]> {
  const { rows = [] } = opened(await ask(agent, query));
  return rows.map(([server, name]) => [server, name].filter((cell) => typeof cell === 'string').join('/'));
}

const words = (name: string) => name.toLowerCase().split(/[-_ ]+/);
const capitalised = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`;
const styles: Readonly<Record<string, (name: string) => string>> = {
  snake_case: (name) => words(name).join('_'),
  'kebab-case': (name) => words(name).join('-'),
  PascalCase: (name) => words(name).map(capitalised).join(''),
  camelCase: (name) =>
    words(name)
      .map((word, at) => (at === 0 ? word : capitalised(word)))
      .join(''),
  SCREAMING_CASE: (name) => words(name).join('_').toUpperCase(),
  words: (name) => words(name).join(' '),
};

test('every real tool is found first by its name in any style of writing', async () => {
  const agent = await connectAgent('v2 modern', { config: devToolbox(realServers) });
  for (const [style, write] of Object.entries(styles)) {
    for (const [server, tools] of servers) {
      for (const { name } of tools)
        expect((await found(agent, write(name)))[0], `${write(name)} in ${style}`).toBe(`${server}/${name}`);
    }
  }
});

test('everyday words find the tools of servers that use others', async () => {
  const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });
  const more = {
    git: fixtureWith([tool('git_reset', 'Unstages all staged changes'), tool('git_log', 'Shows the commit logs')]),
    devtools: fixtureWith([
      tool('performance_start_trace', 'Starts a trace recording on the selected page.'),
      tool('take_snapshot', 'Take a text snapshot of the selected page.'),
    ]),
    quality: fixtureWith([tool('check_style', 'Checks the style of the code.')]),
    slack: fixtureWith([tool('slack_add_reaction', 'Add a reaction emoji to a message')]),
  };
  const agent = await connectAgent('v2 modern', { config: devToolbox({ ...realServers, ...more }) });
  expect((await found(agent, 'remember that I live in Berlin'))[0]).toMatch(/^memory\//);
  expect((await found(agent, 'grep'))[0]).toBe('filesystem/search_files');
  expect((await found(agent, 'lint'))[0]).toBe('quality/check_style');
  expect((await found(agent, 'undo'))[0]).toBe('git/git_reset');
  expect((await found(agent, 'the page is slow'))[0]).toBe('devtools/performance_start_trace');
  expect(await found(agent, 'React app')).not.toContain('slack/slack_add_reaction');
});

describe('a query of several steps', () => {
  const query = 'create a directory; the sum of two numbers; remember a fact about a person';

  test('lists the best tool of each step first, each tool once', async () => {
    const agent = await connectAgent('v2 modern', { config: devToolbox(realServers) });
    const hits = await found(agent, query);
    expect(hits.slice(0, 2)).toEqual(['filesystem/create_directory', 'everything/get-sum']);
    expect(hits[2]?.split('/')[0]).toBe('memory');
    expect(new Set(hits).size).toBe(hits.length);
  });

  test('of any number or length is answered like any other', async () => {
    const agent = await connectAgent('v2 modern', { config: devToolbox(realServers) });
    const many = `${query};${';x;'.repeat(500_000)}`;
    expect((await found(agent, many)).slice(0, 2)).toEqual(['filesystem/create_directory', 'everything/get-sum']);
    expect((await found(agent, `${'file '.repeat(500_000)};sum`)).length).toBeGreaterThan(3);
    expect(opened(await ask(agent, ';'.repeat(1_000))).notes?.join()).toContain('No tool matches');
  });
});

test.each(['dev', '*'])('the answer to a query in %s has no more than 900 tokens', async (toolbox) => {
  const queries = [
    'read write create list search get file directory entity relation',
    'create a directory; add two numbers; remember a fact about a person; read a file; send a message',
    'file',
  ];
  const agent = await connectAgent('v2 legacy', { config: devToolbox(realServers) });
  // Of closed toolboxes only what was listed before is known.
  await agent.open('dev');
  for (const query of queries) {
    const answer = text(await ask(agent, query, toolbox));
    expect(countTokens(answer)).toBeLessThanOrEqual(maxQueryAnswerTokens);
    expect(JSON.parse(answer).rows.length).toBeGreaterThan(7);
  }
});

test.each([
  ['legacy', []],
  ['modern', ['--modern']],
])('tools of a %s server are found by its title and description, in the next run too', async (_, era) => {
  const about = ['--title', 'Zoo\u200Blogy', '--description', 'Knows about zebras', ...era];
  const tools = [{ name: 'list', inputSchema: { type: 'object' } }];
  const launch = prepareLaunch({
    config: devToolbox({ one: fixtureWith(tools, ...about), other: fixtureWith(tools) }),
  });
  const first = await connectAgentTo(launch, 'v2 modern');
  for (const query of ['zoology', 'a zebra']) expect(await found(first, query)).toEqual(['one/list']);
  await first.close();
  await endHosts();
  const next = await connectAgentTo(launch, 'v2 modern');
  // A cache that is read too slowly is left out of an answer.
  const rows = await until(async () => opened(await ask(next, 'zebra', '*')).rows);
  expect(rows.map((row) => row.slice(0, 3))).toEqual([['dev', 'one', 'list']]);
  expect(scriptedServersWith(launch.marker)).toEqual([]);
});
