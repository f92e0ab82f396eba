import { expect, test } from 'vitest';
import { isOurEntry } from './our-entry.js';

test.each([
  [{ command: 'mcp-workbench' }],
  [{ command: 'C:\\tools\\mcp-workbench.cmd' }],
  [{ command: 'npx', args: ['-y', 'mcp-workbench@1.2.3', '--config', 'a.json'] }],
  [{ command: 'pnpm', args: ['dlx', 'mcp-workbench'] }],
  [{ command: 'npx', args: ['-p', 'mcp-workbench', 'mcp-workbench'] }],
  [{ type: 'local', command: ['/usr/bin/node', '/usr/lib/node_modules/mcp-workbench/dist/main.js'] }],
  [{ command: 'node', args: ['/home/ada/.local/share/mcp-workbench/1.2.3/main.js'] }],
])('%j starts the workbench', (entry) => {
  expect(isOurEntry(entry)).toBe(true);
});

test.each([
  [{ command: 'npx', args: ['-y', '@example/git-server', 'mcp-workbench'] }],
  [{ command: 'npx', args: ['-y', 'mcp-workbench-extra'] }],
  // There is a package of that name in the working directory of this test.
  [{ command: 'node', args: ['./dist/main.js'] }],
  [{ command: 'node', args: ['/nowhere/dist/main.js'] }],
  [{ url: 'http://127.0.0.1/mcp-workbench' }],
  ['mcp-workbench'],
])('%j does not', (entry) => {
  expect(isOurEntry(entry)).toBe(false);
});
