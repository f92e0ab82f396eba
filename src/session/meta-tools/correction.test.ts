import { expect, test } from 'vitest';
import { correctedUse } from './correction.js';

const right = 'Call use_tool({"tool":{"toolbox":"dev","server":"fs","name":"read"},"arguments":{"path":"/"}}).';
const [toolbox, server, path] = ['dev', 'fs', { path: '/' }];

test.each([
  ['everything at the top', { toolbox, server, name: 'read', arguments: path }],
  ['the tool as a name beside its place', { toolbox, server, tool: 'read', arguments: path }],
  ['arguments inside of tool', { tool: { toolbox, server, name: 'read', arguments: path } }],
  ['another word for arguments', { tool: { toolbox, server, name: 'read' }, args: path }],
  ['another word for name', { tool: { toolbox, server, tool_name: 'read' }, input: path }],
])('%s is answered with the corrected call', (_, input) => {
  expect(correctedUse(input)).toBe(right);
});

test('the old spelling is identified', () => {
  expect(correctedUse({ tool: { toolbox, server, tool: 'read' }, arguments: path })).toBe(
    `The field 'tool' is now 'name'. ${right}`,
  );
});

test.each([
  [null],
  ['text'],
  [{}],
  [{ tool: { toolbox: 'dev', name: 'read' } }],
  [{ tool: { toolbox, server: 1, name: 'x' } }],
])('from %j no call can be guessed', (input) => {
  expect(correctedUse(input)).toBeUndefined();
});

test('a correction stays short', () => {
  expect(correctedUse({ toolbox, server, name: 'x', arguments: { text: 'y'.repeat(9_000) } })?.length).toBeLessThan(
    1_400,
  );
});
