import { expect, test } from 'vitest';
import { withoutBridge } from './remote-bridge.js';

const url = 'https://mcp.example.com/sse';
const npx = (...args: string[]) => ({ command: 'npx', args: ['-y', 'mcp-remote', ...args] });

test.each([
  [npx(url), { url }],
  [{ command: 'npx', args: ['mcp-remote@0.1.2', url] }, { url }],
  [{ command: 'cmd', args: ['/c', 'npx', '-y', 'mcp-remote@latest', url] }, { url }],
  [
    { command: '/usr/bin/pnpm', args: ['dlx', 'mcp-remote', url], disabled: true },
    { url, disabled: true },
  ],
  [npx(url, '--header', 'X-Key: a', '--header', 'Y:b c'), { url, headers: { 'X-Key': 'a', Y: 'b c' } }],
  [
    { ...npx(url, '--header', 'Authorization:${AUTH}'), env: { AUTH: 'Bearer x' } },
    { url, headers: { Authorization: 'Bearer x' } },
  ],
  [npx(url, '--header', 'Authorization: Bearer $${TOKEN}'), { url, headers: { Authorization: 'Bearer ${TOKEN}' } }],
])('%j is only a URL', (entry, direct) => {
  expect(withoutBridge(entry)).toEqual(direct);
});

test.each([
  [npx(url, '--allow-http')],
  [npx(url, '8080')],
  [npx(url, '--header')],
  [{ ...npx(url), env: { NODE_OPTIONS: '--x' } }],
  [npx('not a url')],
  [{ command: 'npx', args: ['-y', 'mcp-remote-other', url] }],
  [{ command: 'npx', args: ['-y', 'something', 'mcp-remote', url] }],
  [{ command: 'node', args: ['mcp-remote', url] }],
  ['text'],
])('%j is something else', (entry) => {
  expect(withoutBridge(entry)).toBeUndefined();
});
