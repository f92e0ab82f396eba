import { expect, test } from 'vitest';
import { meantBy } from './synonyms.js';
import { commands } from './table.js';

test.each([
  ['ls', 'list'],
  ['show', 'list'],
  ['rm', 'remove'],
  ['login', 'auth'],
  ['search', 'tools --search'],
  ['restart', 'stop'],
  ['install', 'add'],
  ['lock', 'approve'],
  ['uninstall', 'undo'],
])('%s means %s', (typed, meant) => {
  expect(meantBy(typed)).toContain(`Did you mean '${meant}'?`);
  const names = commands.map(({ name }) => name);
  expect(names).toContain(meant.split(' ')[0]);
  expect(names).not.toContain(typed);
});

test('status is the command without a name; other words mean nothing', () => {
  expect(meantBy('status')).toMatch(/: mcp-workbench$/);
  expect(meantBy('uninstall')).toContain('docs/faq.md');
  for (const word of ['xyz', 'constructor', '__proto__']) expect(meantBy(word)).toBeUndefined();
});
