import { describe, expect, test } from 'vitest';
import { findAddress, noTool } from './addresses.js';

const box = (...servers: string[]) => ({
  description: 'Any',
  mcpServers: new Map(servers.map((name) => [name, { command: 'x' }] as const)),
});
const toolboxes = new Map([
  ['dev', box('github', 'files')],
  ['data', box('postgres', '-x')],
  ['a b', box('files')],
  ['__proto__', box('constructor')],
]);

const faultOf = (...words: string[]) => {
  try {
    return findAddress(words, toolboxes, 'tools');
  } catch (error) {
    return String(error);
  }
};

test('words name a toolbox, a server and a tool', () => {
  expect(findAddress([], toolboxes, 'tools')).toEqual({});
  expect(findAddress(['a b'], toolboxes, 'tools').toolbox?.name).toBe('a b');
  const { toolbox, server, tool } = findAddress(['__proto__', 'constructor', 'any'], toolboxes, 'tools');
  expect([toolbox?.name, server?.name, tool]).toEqual(['__proto__', 'constructor', 'any']);
});

describe('an unknown name', () => {
  test.each([
    [['dve'], "No toolbox 'dve'. Did you mean 'dev'? There are: dev, data, a b, __proto__"],
    [['nothing'], "No toolbox 'nothing'. There are: dev, data, a b, __proto__"],
    [
      ['constructor'],
      "No toolbox 'constructor'. A server of that name is in toolbox '__proto__': mcp-workbench tools __proto__ constructor",
    ],
    [['github'], "No toolbox 'github'. A server of that name is in toolbox 'dev': mcp-workbench tools dev github"],
    [
      ['github', 'a b'],
      "No toolbox 'github'. A server of that name is in toolbox 'dev': mcp-workbench tools dev github 'a b'",
    ],
    [['files'], "No toolbox 'files'. A server of that name is in toolbox 'dev', 'a b': mcp-workbench tools dev files"],
    [['-x'], "No toolbox '-x'. A server of that name is in toolbox 'data': mcp-workbench tools -- data -x"],
    [['dev', 'gihub'], "No server 'gihub' in toolbox 'dev'. Did you mean 'github'? There are: github, files"],
    [
      ['dev', 'postgres'],
      "No server 'postgres' in toolbox 'dev'. Toolbox 'data' has one of that name: mcp-workbench tools data postgres",
    ],
    [['dev', 'toString'], "No server 'toString' in toolbox 'dev'. There are: github, files"],
  ])('%j is said with what there is', (words, expected) => {
    expect(faultOf(...words)).toBe(`WorkbenchError: ${expected}`);
  });

  test('of a tool is said with the nearest one', () => {
    expect(noTool(['dev', 'github', 'get_isue'], ['get_issue', 'other']).message).toBe(
      "Tool 'get_isue' not found in server 'github' (toolbox 'dev'). Did you mean 'get_issue'?",
    );
  });
});
