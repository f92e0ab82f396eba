import { describe, expect, test } from 'vitest';
import { moveSecrets } from './move-secrets.js';
import type { OwnEntry } from './own-entry.js';

function moved(entry: OwnEntry, name = 'my server', taken: Readonly<Record<string, string>> = {}) {
  const server = { name, project: undefined, entry, inputs: [] };
  const { entries, secrets } = moveSecrets([server], (one) => taken[one]);
  return { entry: entries.get(server), secrets: Object.fromEntries(secrets.map((one) => [one.name, one.value])) };
}

describe('a secret in plain text becomes a reference', () => {
  test.each<[OwnEntry, OwnEntry, Record<string, string>]>([
    [
      { env: { GITHUB_TOKEN: 'ghp_x1' } },
      { env: { GITHUB_TOKEN: '${secret:GITHUB_TOKEN}' } },
      { GITHUB_TOKEN: 'ghp_x1' },
    ],
    [
      { env: { API_KEY: 'abc123' } },
      { env: { API_KEY: '${secret:MY_SERVER_API_KEY}' } },
      { MY_SERVER_API_KEY: 'abc123' },
    ],
    [
      { headers: { Authorization: 'Bearer abc' } },
      { headers: { Authorization: 'Bearer ${secret:MY_SERVER_AUTHORIZATION}' } },
      { MY_SERVER_AUTHORIZATION: 'abc' },
    ],
    [
      { args: ['--api-key', 'sk-1'] },
      { args: ['--api-key', '${secret:MY_SERVER_API_KEY}'] },
      { MY_SERVER_API_KEY: 'sk-1' },
    ],
    [{ args: ['--db-token=t1'] }, { args: ['--db-token=${secret:DB_TOKEN}'] }, { DB_TOKEN: 't1' }],
    [
      { args: ['postgres://me:pw@db/x'] },
      { args: ['${secret:MY_SERVER_URL}'] },
      { MY_SERVER_URL: 'postgres://me:pw@db/x' },
    ],
    [
      { url: 'https://x.test/mcp?tavilyApiKey=tvly-1&lang=en' },
      { url: 'https://x.test/mcp?tavilyApiKey=${secret:TAVILYAPIKEY}&lang=en' },
      { TAVILYAPIKEY: 'tvly-1' },
    ],
    // By its form, whatever it is called.
    [
      { env: { LINEAR: 'lin_api_a1B2c3D4e5F6g7H8i9' }, args: ['ghp_a1B2c3D4e5F6g7H8i9J0'] },
      { env: { LINEAR: '${secret:LINEAR}' }, args: ['${secret:MY_SERVER_TOKEN}'] },
      { LINEAR: 'lin_api_a1B2c3D4e5F6g7H8i9', MY_SERVER_TOKEN: 'ghp_a1B2c3D4e5F6g7H8i9J0' },
    ],
    [
      { url: 'https://hooks.test/api/mcp/s/a1B2c3D4e5F6g7H8i9J0/mcp' },
      { url: 'https://hooks.test/api/mcp/s/${secret:MY_SERVER_URL}/mcp' },
      { MY_SERVER_URL: 'a1B2c3D4e5F6g7H8i9J0' },
    ],
    // What was text for a client is text in the other file.
    [{ env: { DB_PASSWORD: 'a$${b}' } }, { env: { DB_PASSWORD: '${secret:DB_PASSWORD}' } }, { DB_PASSWORD: 'a${b}' }],
  ])('%j', (entry, expected, secrets) => {
    expect(moved(entry)).toEqual({ entry: expected, secrets });
  });
});

test.each<OwnEntry>([
  { env: { GITHUB_TOKEN: '${GITHUB_TOKEN}', KEY_FILE: '/home/me/key.pem', TOKEN_LIMIT_KEY: 'true', EMPTY_TOKEN: '' } },
  { env: { LOG_LEVEL: 'debug', API_KEY_URL: 'https://x.test' } },
  { args: ['--token-file', '/run/token', '--verbose', '-k', 'value', 'https://x.test/'] },
  { args: ['sk-learn-documentation-server', 'fc-match-of-all-the-fonts'] },
  { url: 'https://a1b2c3d4e5f6g7h8i9j0k1.x.test/servers/documentation-of-everything/mcp' },
  { url: 'https://x.test/mcp?lang=en', headers: { 'X-Trace': 'on', Authorization: 'Bearer ${T}' } },
])('%j has none', (entry) => {
  expect(moved(entry)).toEqual({ entry, secrets: {} });
});

test('a name that has another value is not used', () => {
  const entry = { env: { GITHUB_TOKEN: 'mine' } };
  expect(moved(entry, 'gh', { GITHUB_TOKEN: 'other' }).secrets).toEqual({ GH_GITHUB_TOKEN: 'mine' });
  expect(moved(entry, 'gh', { GITHUB_TOKEN: 'mine' }).secrets).toEqual({ GITHUB_TOKEN: 'mine' });
  expect(moved(entry, '🙂', { GITHUB_TOKEN: 'a', S_GITHUB_TOKEN: 'b' }).secrets).toEqual({ S_GITHUB_TOKEN_2: 'mine' });
});
