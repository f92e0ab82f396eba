import { expect, test } from 'vitest';
import { createMatchExplainer } from './explain-match.js';

const tool = {
  name: 'create_issue',
  description: 'Files a bug in a repository',
  inputSchema: {
    type: 'object' as const,
    properties: { assignee: { type: 'string', description: 'Who works on it' } },
  },
};
const source = { toolbox: 'dev', server: 'GitHub', toolboxDescription: 'Code and documentation', tools: [tool] };

test.each([
  ['create an issue', 'create:name issue:name'],
  ['Create Issues', 'Create:name Issues:name'],
  ['createIssue', 'createIssue:name'],
  ['github issue', 'github:server issue:name'],
  ['report a bug', 'bug:description'],
  ['the repo', 'repo:description(repository)'],
  ['assignee', 'assignee:parameters'],
  ['documentation', 'documentation:toolbox'],
  ['issue; issue; weather', 'issue:name'],
  ['weather', ''],
  ['', ''],
])('a tool is found by %j in %j', (query, expected) => {
  const found = createMatchExplainer(query)(source, tool);
  expect(found.map((one) => `${one.word}:${one.in}${one.as === undefined ? '' : `(${one.as})`}`).join(' ')).toBe(
    expected,
  );
});
