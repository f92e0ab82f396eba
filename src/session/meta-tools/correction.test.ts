import { describe, expect, test } from 'vitest';
import type { ToolIdentifier } from '../../contract/types.js';
import { correctedOpen, correctedPlace, correctedUse } from './correction.js';

const right = 'Call use_tool({"tool":{"toolbox":"dev","server":"fs","name":"read"},"arguments":{"path":"/"}}).';
const [toolbox, server, path] = ['dev', 'fs', { path: '/' }];

test.each([
  ['everything at the top', { toolbox, server, name: 'read', arguments: path }],
  ['the tool as a name beside its place', { toolbox, server, tool: 'read', arguments: path }],
  ['arguments inside of tool', { tool: { toolbox, server, name: 'read', arguments: path } }],
  ['another word for arguments', { tool: { toolbox, server, name: 'read' }, args: path }],
  ['another word for name', { tool: { toolbox, server, tool_name: 'read' }, input: path }],
  ['the text of an object', { tool: JSON.stringify({ toolbox, server, name: 'read' }), arguments: path }],
])('%s is answered with the corrected call', (_, input) => {
  expect(correctedUse(input)).toBe(right);
});

test('the old spelling is identified', () => {
  expect(correctedUse({ tool: { toolbox, server, tool: 'read' }, arguments: path })).toBe(
    `The field 'tool' is now 'name'. ${right}`,
  );
});

test('arguments that are no object are not part of a corrected call', () => {
  expect(correctedUse({ tool: { toolbox, server, name: 'read' }, arguments: 7 })).toBe(
    'Call use_tool({"tool":{"toolbox":"dev","server":"fs","name":"read"}}).',
  );
});

test.each([
  [null],
  ['text'],
  [{}],
  [{ tool: { toolbox: 'dev', name: 'read' } }],
  [{ tool: { toolbox, server: 1, name: 'x' } }],
])('from %j alone no call can be guessed', (input) => {
  expect(correctedUse(input)).toBeUndefined();
});

test('a correction stays short', async () => {
  const args = { text: 'y'.repeat(9_000) };
  expect(correctedUse({ toolbox, server, name: 'x', arguments: args })?.length).toBeLessThan(1_400);
  const placed = await correctedPlace({ tool: 'read', arguments: args }, { toolboxes: manyNames, toolsNamed: places });
  expect(placed?.length).toBeLessThan(1_700);
  expect(correctedOpen({ query: 'y'.repeat(9_000) }, manyNames).length).toBeLessThan(1_700);
});

const manyNames = Array.from({ length: 1_000 }, (_, index) => `toolbox-${index}`);
const known: readonly ToolIdentifier[] = [
  { toolbox: 'dev', server: 'fs', name: 'read' },
  { toolbox: 'prod', server: 'fs', name: 'read' },
  { toolbox: 'prod', server: 'git', name: 'log' },
];
const places = async (name: string) => known.filter((tool) => tool.name === name);

describe('the name of a tool without its place', () => {
  const callable = { toolboxes: ['dev', 'prod'], toolsNamed: places };
  const log = '{"tool":{"toolbox":"prod","server":"git","name":"log"}';

  test.each([
    ['as a string', { tool: 'log', arguments: path }],
    ['as an object', { tool: { name: 'log' }, arguments: path }],
    ['with its toolbox', { toolbox: 'prod', tool: 'log', arguments: path }],
  ])('%s is answered with the call of the known tool', async (_, input) => {
    expect(await correctedPlace(input, callable)).toBe(`Call use_tool(${log},"arguments":{"path":"/"}}).`);
  });

  test('that several servers know is answered with the call of each, in the toolbox that is named', async () => {
    const [inDev, inProd] = ['dev', 'prod'].map(
      (box) => `use_tool({"tool":{"toolbox":"${box}","server":"fs","name":"read"}})`,
    );
    expect(await correctedPlace({ tool: 'read' }, callable)).toBe(`Call ${inDev} or ${inProd}.`);
    expect(await correctedPlace({ tool: 'read', toolbox: 'prod' }, callable)).toBe(`Call ${inProd}.`);
  });

  test('that is only similar to a known one is a question', async () => {
    const near = { ...callable, toolsNamed: () => places('log') };
    expect(await correctedPlace({ tool: 'git.log' }, near)).toBe(`Did you mean use_tool(${log}})?`);
  });

  test('that is unknown is answered with the shape of the call and the toolboxes', async () => {
    expect(await correctedPlace({ tool: 'create_issue', server: 'git' }, callable)).toBe(
      'Call use_tool({"tool":{"toolbox":"TOOLBOX","server":"git","name":"create_issue"}}) with toolbox and server as open_toolbox lists them. Available toolboxes: dev, prod.',
    );
  });

  test('that is missing leaves nothing to correct', async () => {
    expect(await correctedPlace({ tool: { toolbox, server } }, callable)).toBeUndefined();
  });
});

test.each([
  [{}, '{"toolbox":"dev"}'],
  ['dev', '{"toolbox":"dev"}'],
  [{ name: 'prod' }, '{"toolbox":"prod"}'],
  [{ toolbox: { name: 'prod' } }, '{"toolbox":"prod"}'],
  [{ toolbox: 'prd', more: 1 }, '{"toolbox":"prod"}'],
  [{ query: 'read a file' }, '{"toolbox":"*","query":"read a file"}'],
  [{ toolbox: 'prod', query: 7, detail: 'names' }, '{"toolbox":"prod","detail":"names"}'],
  [{ toolbox: 'prod', tools: ['read'], detail: 'all' }, '{"toolbox":"prod","tools":["read"]}'],
])('open_toolbox(%j) is answered with the full call and the names of toolboxes', (input, call) => {
  expect(correctedOpen(input, ['dev', 'prod'])).toBe(`Call open_toolbox(${call}). Available toolboxes: dev, prod.`);
});

test('without a toolbox there is no call to suggest', () => {
  expect(correctedOpen({}, [])).toBe('Available toolboxes: none is configured.');
});
