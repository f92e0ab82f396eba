import { describe, expect, test } from 'vitest';
import { runAtOnce } from '../../platform/slices.js';
import { createNameFinder } from './names.js';

const names = [
  'create_issue',
  'createIssueComment',
  'TwilioApiV2010--ListParticipant',
  'PoiSearchTool',
  'ListParticipant',
  'math.factorial',
  'search',
  '検索する',
  '🦓',
];
const finder = runAtOnce(createNameFinder(names.map((name) => ({ toolbox: 'dev', server: 'GitHub', tool: { name } }))));
/** The tools in order, each once. */
const find = (text: string) => [...new Set(finder(text).flat())].map((tool) => names[tool]);

describe('a text that is the name of a tool', () => {
  test.each([
    'create_issue',
    'createIssue',
    'CreateIssue',
    'create issue',
    'CREATE-ISSUE',
    ' create.issue ',
    'github create_issue',
    'GitHub/create_issue',
    'github: create issue',
  ])('finds it written as %j', (text) => {
    expect(find(text)).toEqual(['create_issue']);
  });

  test('finds it in any script, and if it has no letters at all', () => {
    expect(find('検索する')).toEqual(['検索する']);
    expect(find(' 🦓')).toEqual(['🦓']);
  });

  test('finds longer names that end with it after the whole one', () => {
    expect(find('list participant')).toEqual(['ListParticipant', 'TwilioApiV2010--ListParticipant']);
    expect(find('TwilioApiV2010--ListParticipant')).toEqual(['TwilioApiV2010--ListParticipant', 'ListParticipant']);
    expect(find('factorial')).toEqual(['math.factorial']);
    expect(find('mcp__github__create_issue')).toEqual(['create_issue']);
  });
});

describe('a longer text', () => {
  test('names the tools that it writes as one word', () => {
    expect(find('call create_issue, then PoiSearchTool.')).toEqual(['create_issue', 'PoiSearchTool']);
  });

  test('does not name tools that its words happen to spell', () => {
    for (const text of ['search for an issue', 'see https://example.com/search', 'read /tmp/search', '', ' '])
      expect(find(text), text).toEqual([]);
  });
});

test('a server cannot fill the list with thousands of names that have the same letters', () => {
  const hostile = Array.from({ length: 2_000 }, (_, at) => ({
    server: 'a',
    tool: { name: `get${'_'.repeat(at + 1)}file` },
  }));
  const tools = ['dev', 'ops'].flatMap((toolbox) =>
    [...hostile, { server: 'b', tool: { name: 'getFile' } }].map((entry) => ({ toolbox, ...entry })),
  );
  const found = new Set(runAtOnce(createNameFinder(tools))('get file').flat());
  expect([...found].filter((tool) => tools[tool]?.server === 'b')).toHaveLength(2);
  expect(found.size).toBeLessThanOrEqual(102);
});
