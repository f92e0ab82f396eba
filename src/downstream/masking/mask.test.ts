import { expect, test } from 'vitest';
import type { NamedValue } from '../../config/config.js';
import { createMask, type Mask } from './mask.js';
import { secretValues } from './secret-values.js';

/** The mask of a server with these values and arguments. */
function maskOf(values: Record<string, string>, args: readonly string[] = []): Mask {
  const secrets: NamedValue[] = Object.entries(values).map(([name, value]) => ({ name, value }));
  const target = { kind: 'stdio', command: 'x', args, env: new Map(), cwd: undefined } as const;
  return createMask(secretValues({ secrets, target }));
}

test.each([
  ['a value', { NAME: 'canary-0001' }, [], 'bad key canary-0001!', 'bad key ***!'],
  ['an argument', {}, ['canary0002x'], 'got canary0002x', 'got ***'],
  ['an argument of random letters', {}, ['wJalrXUtnFEMI'], 'got wJalrXUtnFEMI', 'got ***'],
  ['what follows = in an argument', {}, ['--name=canary0003x'], 'key canary0003x', 'key ***'],
  ['a random word in a shell text', {}, ['-c', 'run canary0007x; exit'], 'got canary0007x', 'got ***'],
  ['a password in a shell text', {}, ['-c', "DB_PASSWORD='open sesame' run"], 'got open sesame', 'got ***'],
  ['what follows a flag in a shell text', {}, ['-c', 'run --token swordfish'], 'got swordfish', 'got ***'],
  ['a secret in JSON', { HEADERS: '{"Authorization":"Bearer swordfish"}' }, [], 'got swordfish', 'got ***'],
  ['a password after a user', {}, ['-c', 'curl -u me:swordfish a.test'], 'got swordfish', 'got ***'],
  ['a secret after a path', { RUN: '/bin/run --api-key=swordfish' }, [], 'got swordfish', 'got ***'],
  ['a secret of which no entry knows', {}, [], 'key ghp_a1B2c3D4e5F6g7H8i9J0', 'key ***'],
  ['what follows the name of a secret', {}, ['--api-key', '/sk-12'], 'key /sk-12', 'key ***'],
  ['a short value of a secret argument', {}, ['--token=abc123'], 'key abc123', 'key ***'],
  ['a variable for a container', {}, ['-e', 'API_KEY=abc123'], 'key abc123', 'key ***'],
  ['a header as an argument', {}, ['--header', 'X-Api-Key: abc123'], 'key abc123', 'key ***'],
  ['a word of a value', { NAME: 'Bearer canary-0004' }, [], 'token canary-0004', 'token ***'],
  ['a short token after its scheme', { Authorization: 'Basic abc123' }, [], 'token abc123', 'token ***'],
  ['a password in a url', { DB: 'pg://user:canary-0005@host/db' }, [], 'login canary-0005', 'login ***'],
  ['a short password in a url', { DB: 'pg://user:s3cr3t@host/db' }, [], 'login s3cr3t', 'login ***'],
  ['an unescaped password in a url', { DB: 'pg://user:p/canary-05@host/db' }, [], 'login canary-05', 'login ***'],
  ['an escaped password in a url', { DB: 'pg://user:s3%40cr3t@host/db' }, [], 'login s3@cr3t', 'login ***'],
  ['a query in a url', { URL: 'https://host/?k=canary-0006' }, [], 'k is canary-0006', 'k is ***'],
  ['a path that is a secret', { HOOK: 'https://host/services/T0/B0/x9canary' }, [], 'to x9canary', 'to ***'],
  ['a password in a list', { CONNECTION: 'Server=a;Password=s3cr3t;Port=1' }, [], 'login s3cr3t', 'login ***'],
  ['a key that looks like a path', { AWS_SECRET_ACCESS_KEY: '/K7MDENG/bPxRf' }, [], 'key /K7MDENG/bPxRf', 'key ***'],
  ['a value that looks like base64', { OTHER: 'wJalrXUtn/K7MDENG/bPx' }, [], 'x wJalrXUtn/K7MDENG/bPx', 'x ***'],
  ['a long number', { NAME: '123456789012' }, [], 'n 123456789012', 'n ***'],
  ['a short number that is a secret', { PIN: '123456' }, [], 'n 123456', 'n ***'],
  ['the longer of two', { A: 'canary-1', B: 'canary-1-and-more' }, [], 'canary-1-and-more', '***'],
  ['two that overlap', { A: 'canary-1-x', B: 'x-canary-2' }, [], 'a canary-1-x-canary-2 b', 'a *** b'],
])('%s is not shown', (_, values, args, text, shown) => {
  expect(maskOf(values, args).text(text)).toBe(shown);
});

test.each([
  ['a short value', { LEVEL: 'debug' }, [], 'level debug'],
  [
    'an argument that is a path',
    {},
    ['/home/me/project', './a/dir', 'C:\\Users\\me'],
    '/home/me/project ./a/dir C:\\Users\\me',
  ],
  ['a package name', {}, ['@scope/package-name'], 'cannot find @scope/package-name'],
  [
    'the name of a package, module, file or flag',
    {},
    ['mcp-server-git', '--repository', '--log-level=x', 'my_module.main:app', 'README.md', 'fastmcp@2.10.1'],
    'package mcp-server-git was not found; see --repository, --log-level, my_module.main:app, README.md, fastmcp@2.10.1',
  ],
  ['a number', { PORT: '1234567890' }, [], 'port 1234567890'],
  ['a boolean', { API_KEY_REQUIRED: 'false' }, [], 'false'],
  ['a word', { NODE_ENV: 'production' }, [], 'runs in production'],
  ['a date', { VERSION: '2025-11-25' }, [], 'version 2025-11-25'],
  ['a time zone', { TZ: 'America/New_York' }, ['--zone=Europe/Berlin'], 'America/New_York Europe/Berlin'],
  ['a region', { REGION: 'us-east-1', OTHER: 'europe-west12' }, [], 'us-east-1 europe-west12'],
  [
    'an address',
    { HOST: '192.168.100.200:8080', URL: 'https://api.example.com/' },
    [],
    '192.168.100.200:8080 https://api.example.com/',
  ],
  ['a path', { ROOT: '/home/me/project', DATA: '~/My Data' }, [], 'in /home/me/project/x, ~/My Data'],
  ['a path under the name of a file of secrets', { KEY_FILE: '/x/a key.pem' }, [], 'cannot read /x/a key.pem'],
  ['a word of a shell text', {}, ['-c', 'cd /x/code && node missing-server.js'], '/x/code/missing-server.js'],
  ['a sentence in a shell text', {}, ['-c', 'echo "Token: missing here" >&2'], 'Token: missing here'],
  ['several words', { TITLE: 'correct horse' }, ['battery staple'], 'correct horse battery staple'],
  ['a word after =', {}, ['--name=swordfish'], 'swordfish'],
  ['what follows a switch', {}, ['--no-auth', 'server.js'], 'cannot find server.js'],
  ['a name with a number', {}, ['python3.11', 'server01', 'node20-alpine'], 'python3.11 server01 node20-alpine'],
  ['scheme and host of a url', { DB: 'postgres://me:s3cr3t@db.example.com/x' }, [], 'postgres at db.example.com'],
])('%s stays readable', (_, values, args, text) => {
  expect(maskOf(values, args).text(text)).toBe(text);
});

const multiline = '-----BEGIN KEY-----\nMIIEcanary0123\r\nabcanary456789\n-----END KEY-----';

test.each([
  ['as JSON', 'a"b\\c\nd/é', JSON.stringify('a"b\\c\nd/é')],
  ['as JSON in JSON', 'a"b\\c\nd/é', JSON.stringify(JSON.stringify('a"b\\c\nd/é'))],
  ['as JSON in ASCII', 'pässwörd', '"p\\u00e4ssw\\u00f6rd"'],
  ['as JSON with escaped slashes', 'pass/word/é', '"pass\\/word\\/é"'],
  ['URL-encoded', "p@ss w/rd!'", `k=${encodeURIComponent("p@ss w/rd!'")}`],
  ['URL-encoded in lower case', 'p@ss/w/rd', 'k=p%40ss%2fw%2frd'],
  ['as a form', "p@ss w/rd!'", new URLSearchParams({ k: "p@ss w/rd!'" }).toString()],
  ['as base64', 'secret\u00ff-value?', Buffer.from('secret\u00ff-value?').toString('base64')],
  ['as base64url', 'secret\u00ff-value?', Buffer.from('secret\u00ff-value?').toString('base64url')],
  ['in hexadecimal digits', 'secret-value', Buffer.from('secret-value').toString('hex').toUpperCase()],
  ['line by line', multiline, 'at MIIEcanary0123 and abcanary456789'],
  [
    'line by line, if its lines are separated by \\n',
    multiline.replaceAll('\n', '\\n'),
    'at MIIEcanary0123, abcanary456789',
  ],
  [
    'in base64 of several lines',
    'x9'.repeat(60),
    Buffer.from('x9'.repeat(60)).toString('base64').replace(/.{76}/g, '$&\n'),
  ],
])('a value is found %s', (_, value, text) => {
  const masked = maskOf({ PASSWORD: value }).text(text);
  expect(masked).toContain('***');
  expect(masked.replaceAll('***', '')).toMatch(/^(?:k=|at\b|and\b|["\\,\s])*$/);
});

test.each(['', 'a', 'ab', 'abc'])('a value is found in the base64 of %j and it, whatever follows', (before) => {
  for (const after of ['', '!', '!!', '!!!']) {
    const masked = maskOf({ PASSWORD: 'Zq7Lw0-canary' }).text(
      Buffer.from(`${before}:Zq7Lw0-canary${after}`).toString('base64'),
    );
    expect(Buffer.from(masked.replaceAll('*', ''), 'base64').toString()).not.toMatch(/canary|Zq7L|Lw0/);
    expect(masked).toContain('***');
  }
});

test('the beginning of a value at the end of a text is masked only if the text was cut', () => {
  const { text } = maskOf({ PASSWORD: 'canary-0123456789' });
  expect(text('it is canary-0123', true)).toBe('it is ***');
  expect(text('it is canary-0123')).toBe('it is canary-0123');
});

test('an ordinary word stays unless its name is that of a secret', () => {
  const { text, prose } = maskOf({ PGDATABASE: 'customers', PASSWORD: 'swordfish' });
  for (const mask of [text, prose]) expect(mask('the customers table: swordfish')).toBe('the customers table: ***');
});

test('a token of a known form that no entry has stays in descriptions: it is an example', () => {
  const { prose } = maskOf({});
  expect(prose('such as ghp_a1B2c3D4e5F6g7H8i9J0')).toBe('such as ghp_a1B2c3D4e5F6g7H8i9J0');
});

test('the beginning of a token of a known form is masked at the end of a text that was cut', () => {
  const { text } = maskOf({});
  expect(text('it is ghp_a1B2', true)).toBe('it is ***');
  expect(text('it is ghp_a1B2')).toBe('it is ghp_a1B2');
});

test('a password that is a word is masked in descriptions, but not in names', () => {
  const { prose, names } = maskOf({ PASSWORD: 'postgres', TOKEN: 'ghp_1003canaryQmVb' });
  expect(prose('postgres ghp_1003canaryQmVb')).toBe('*** ***');
  expect(names('postgres ghp_1003canaryQmVb')).toBe('postgres ***');
});
