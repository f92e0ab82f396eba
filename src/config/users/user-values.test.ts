import { describe, expect, test } from 'vitest';
import type { ServerConfig } from '../config.js';
import { parseConfig } from '../read/parse.js';
import type { UserFacts } from '../values/user.js';

const http = { auth: { issuer: 'https://login.example.com', claims: ['email', 'other'] } };
const key = '0123456789abcdef0123456789abcdef';
const directory = `/data/users/${key}`;

function userWith(claims: Record<string, unknown> = { email: 'ada@example.com' }): UserFacts {
  const issuer = http.auth.issuer;
  return { key, directory, issuer, subject: 'ada', claims: new Map(Object.entries(claims)) };
}

function serverOf(entry: object, user: UserFacts | undefined = userWith()): ServerConfig {
  const text = JSON.stringify({ http, toolboxes: { dev: { mcpServers: { any: entry } } } });
  const config = parseConfig(text, { path: '/etc/c.json', env: { SET: 'value' }, cwd: '/', home: '/root', user });
  const server = config.toolboxes.get('dev')?.servers.get('any');
  if (server === undefined) throw new Error('the server is there');
  return server;
}

function reasonOf(entry: object, user?: UserFacts): string | undefined {
  const { target } = serverOf(entry, user);
  return target.kind === 'broken' ? target.reason : undefined;
}

const withMail = { command: 'x', env: { MAIL: '${claim:email}' } };

describe('for a user', () => {
  test('a program gets facts about them', () => {
    const entry = {
      command: 'x',
      args: ['-v', '${user:directory}:/work', '${SET}'],
      cwd: '${user:directory}/work',
      env: { WHO: '${user:key} <${claim:email}>', OTHER: '${SET}' },
    };
    expect(serverOf(entry).target).toMatchObject({
      args: ['-v', `${directory}:/work`, 'value'],
      cwd: `${directory}/work`,
      env: new Map([
        ['WHO', `${key} <ada@example.com>`],
        ['OTHER', 'value'],
      ]),
    });
  });

  test('a remote server gets facts about them', () => {
    const entry = { url: 'https://a.test/${user:key}', headers: { 'X-Mail': '${claim:email}' } };
    expect(serverOf(entry).target).toMatchObject({
      url: `https://a.test/${key}`,
      headers: new Map([['X-Mail', 'ada@example.com']]),
    });
  });

  test('a claim is named as the source of a credential', () => {
    const entry = { url: 'https://a.test', headers: { Authorization: 'Bearer ${claim:email}' } };
    expect(serverOf(entry).target).toMatchObject({ credentials: 'the claim email of the user' });
  });

  test('references inside a claim are text', () => {
    const user = userWith({ email: '${SET} ${user:key} $${' });
    expect(serverOf(withMail, user).target).toMatchObject({ env: new Map([['MAIL', '${SET} ${user:key} $${']]) });
  });

  test('the value of a claim is masked as one of a variable, and the user is not', () => {
    const entry = { url: 'https://a.test/${user:key}', headers: { 'X-Id': 'id ${claim:other}' } };
    const { secrets } = serverOf(entry, userWith({ other: 'abc123def456' }));
    expect(secrets).toContainEqual({ name: 'other', value: 'abc123def456' });
    expect(secrets.filter(({ value }) => value.includes(key))).toEqual([]);
  });

  test('another fact makes another fingerprint, and nobody else’s entries change', () => {
    const plain = { command: 'x', env: { A: 'b' } };
    const entries = [withMail, { command: 'x', args: ['${user:key}'] }, { command: 'x', cwd: '${user:directory}' }];
    const other = { ...userWith({ email: 'bob@example.com' }), key: key.replace('0', 'f'), directory: '/data/users/b' };
    for (const entry of entries) expect(serverOf(entry, other).fingerprint).not.toBe(serverOf(entry).fingerprint);
    expect(serverOf(plain, other).fingerprint).toBe(serverOf(plain).fingerprint);
    expect(serverOf(withMail, other).cacheKey).toBe(serverOf(withMail).cacheKey);
  });
});

describe('a server is unavailable for a user, and names the claim but not its value,', () => {
  const longest = 'x'.repeat(1_024);
  test.each<[string, unknown, string]>([
    ['missing', undefined, "This user's token has no claim 'email'"],
    ['an array', ['canary-1'], "The claim 'email' of this user is not text"],
    ['an object', { canary: 1 }, "The claim 'email' of this user is not text"],
    ['a number', 421_842, "The claim 'email' of this user is not text"],
    ['true', true, "The claim 'email' of this user is not text"],
    ['null', null, "The claim 'email' of this user is not text"],
    ['empty', '', "The claim 'email' of this user is empty"],
    ['too long', `${longest}x`, "The claim 'email' of this user has more than 1,024 characters"],
    ...['\r', '\n', '\0', '\t', '\u001b', '\u007f', '\u0085', '\u009f', '\u2028', '\ud800'].map(
      (sign): [string, unknown, string] => [
        `text with ${JSON.stringify(sign)}`,
        `canary-1${sign}X-Admin: 1`,
        "The claim 'email' of this user contains control characters",
      ],
    ),
  ])('if it is %s', (_, value, fact) => {
    const user = userWith(value === undefined ? {} : { email: value });
    const remedy = 'Correct it at the issuer, or remove ${claim:email} from the entry.';
    expect(reasonOf(withMail, user)).toBe(`config.toolboxes.dev.mcpServers.any.env.MAIL: ${fact}. ${remedy}`);
    const remote = { url: 'https://a.test', headers: { 'X-Mail': '${claim:email}' } };
    expect(reasonOf(remote, user)).toContain(fact);
    expect(JSON.stringify(serverOf(remote, user))).not.toContain('canary-1');
  });

  test('and uses one of 1,024 characters', () => {
    expect(serverOf(withMail, userWith({ email: longest })).target).toMatchObject({
      env: new Map([['MAIL', longest]]),
    });
  });
});

test('a session without a user has no server that works for one, and says which agents do', () => {
  const entry = { command: 'x', args: ['${user:key}'], env: { A: '${claim:email}', B: '${claim:other}' } };
  const text = JSON.stringify({ http, toolboxes: { dev: { mcpServers: { any: entry, plain: { command: 'x' } } } } });
  const { toolboxes } = parseConfig(text, { path: '/etc/c.json', env: {}, cwd: '/', home: '/root' });
  const servers = toolboxes.get('dev')?.servers;
  expect(servers?.get('any')?.target).toEqual({
    kind: 'broken',
    reason:
      'It is set up for each user (args[0], env.A, env.B), and only agents over HTTP have users. ' +
      'Connect the agent over HTTP, or remove what names a user from its entry.',
  });
  expect(servers?.get('plain')?.target.kind).toBe('stdio');
});
