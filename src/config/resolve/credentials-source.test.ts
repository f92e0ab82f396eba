import { expect, test } from 'vitest';
import { parseFile } from '../read/parse.js';
import { credentialsSource } from './credentials-source.js';

const url = 'https://mcp.example.com';

test.each<[object, string | undefined]>([
  [{ url }, undefined],
  [{ url, headers: { 'X-Team': 'blue' } }, undefined],
  [{ url, headers: { Authorization: 'Bearer ${secret:TRACKER_TOKEN}' } }, 'TRACKER_TOKEN in secrets.env'],
  [{ url, headers: { 'X-Api-Key': 'k', authorization: 'Bearer ${TOKEN}' } }, 'the variable TOKEN'],
  [{ url, headers: { 'X-Api-Key': 'sk-live-1' } }, 'headers.X-Api-Key in its entry'],
  [{ url, headers: { Authorization: 'Basic ${file:~/user}' } }, 'the file ~/user'],
  [{ command: 'x', env: { LEVEL: 'info', API_KEY: '${secret:KEY}' } }, 'KEY in secrets.env'],
  [{ command: 'x', env: { GITHUB_TOKEN: 'ghp_1' } }, 'env.GITHUB_TOKEN in its entry'],
])('the credentials of %j come from: %s', (entry, expected) => {
  const file = { toolboxes: { dev: { description: 'd', mcpServers: { any: entry } } } };
  const read = parseFile(JSON.stringify(file), '/x.json').file.toolboxes.get('dev')?.mcpServers.get('any');
  expect(read && credentialsSource(read)).toBe(expected);
});
