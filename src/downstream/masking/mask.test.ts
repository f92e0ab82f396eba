import { expect, test } from 'vitest';
import type { NamedValue } from '../../config/config.js';
import { createMask, type Mask } from './mask.js';
import { secretValues } from './secret-values.js';

/** The mask of a server with these values and arguments. */
function maskOf(values: Record<string, string>, args: readonly string[] = [], existing: readonly string[] = []): Mask {
  const secrets: NamedValue[] = Object.entries(values).map(([name, value]) => ({ name, value }));
  const target = { kind: 'stdio', command: 'x', args, env: new Map(), cwd: undefined } as const;
  return createMask(secretValues({ secrets, target }, (value) => existing.includes(value)));
}

test.each([
  ['a value', { NAME: 'canary-0001' }, [], 'bad key canary-0001!', 'bad key ***!'],
  ['an argument', {}, ['canary0002x'], 'got canary0002x', 'got ***'],
  ['an argument of random letters', {}, ['wJalrXUtnFEMI'], 'got wJalrXUtnFEMI', 'got ***'],
  ['an argument of several words', {}, ['correct horse'], 'got correct horse', 'got ***'],
  ['what follows = in an argument', {}, ['--name=canary-0003'], 'key canary-0003', 'key ***'],
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
  ['a value that looks like a path and is none', { NAME: '/K7MDENG/bPxRf' }, [], 'key /K7MDENG/bPxRf', 'key ***'],
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
  ['a path that exists', { ROOT: '/home/me/project' }, [], 'in /home/me/project/x'],
  ['scheme and host of a url', { DB: 'postgres://me:s3cr3t@db.example.com/x' }, [], 'postgres at db.example.com'],
])('%s stays readable', (_, values, args, text) => {
  expect(maskOf(values, args, ['/home/me/project']).text(text)).toBe(text);
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

test('words after = in an argument are masked in messages, but not in descriptions', () => {
  const { text, prose } = maskOf({}, ['--name=swordfish', 'sk_live_9canaryT9x']);
  expect(text('swordfish sk_live_9canaryT9x')).toBe('*** ***');
  expect(prose('swordfish sk_live_9canaryT9x')).toBe('swordfish ***');
});

test('an ordinary word stays in descriptions unless its name is that of a secret', () => {
  const { text, prose } = maskOf({ PGDATABASE: 'customers', PASSWORD: 'swordfish' });
  expect(prose('Query the customers table: swordfish')).toBe('Query the customers table: ***');
  expect(text('customers swordfish')).toBe('*** ***');
});

test('a password that is a word is masked in descriptions, but not in names', () => {
  const { prose, names } = maskOf({ PASSWORD: 'postgres', TOKEN: 'ghp_1003canaryQmVb' });
  expect(prose('postgres ghp_1003canaryQmVb')).toBe('*** ***');
  expect(names('postgres ghp_1003canaryQmVb')).toBe('postgres ***');
});
