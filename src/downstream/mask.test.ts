import { expect, test } from 'vitest';
import { createMask } from './mask.js';

function mask(env: Record<string, string>, args: string[], text: string): string {
  return createMask({ kind: 'stdio', command: 'x', args, env: new Map(Object.entries(env)), cwd: undefined })(text);
}

test.each([
  ['a value of env', { KEY: 'canary-0001' }, [], 'bad key canary-0001!', 'bad key ***!'],
  ['an argument', {}, ['canary-0002'], 'got canary-0002', 'got ***'],
  ['what follows = in an argument', {}, ['--key=canary-0003'], 'key canary-0003', 'key ***'],
  ['a word of a value', { AUTH: 'Bearer canary-0004' }, [], 'token canary-0004', 'token ***'],
  ['a password in a url', { DB: 'pg://user:canary-0005@host/db' }, [], 'login canary-0005', 'login ***'],
  ['a query in a url', { URL: 'https://host/?k=canary-0006' }, [], 'k is canary-0006', 'k is ***'],
  [
    'a key that looks like a path',
    { AWS_SECRET_ACCESS_KEY: '/K7MDENG/bPxRfiCYEXAMPLE' },
    [],
    'key /K7MDENG/bPxRfiCYEXAMPLE',
    'key ***',
  ],
  [
    'a value that looks like base64',
    { OTHER: 'wJalrXUtnFEMI/K7MDENG/bPx' },
    [],
    'x wJalrXUtnFEMI/K7MDENG/bPx',
    'x ***',
  ],
  ['the longer of two', { A: 'canary-1', B: 'canary-1-and-more' }, [], 'canary-1-and-more', '***'],
])('%s is not shown', (_, env, args, text, shown) => {
  expect(mask(env, args, text)).toBe(shown);
});

test.each([
  ['a short value', { A: 'debug' }, [], 'level debug'],
  [
    'a path',
    {},
    ['/home/me/project', './relative/dir', 'C:\\Users\\me'],
    'no /home/me/project, ./relative/dir, C:\\Users\\me',
  ],
  ['a package name', {}, ['@scope/package-name'], 'cannot find @scope/package-name'],
  ['a number', { PORT: '1234567890' }, [], 'port 1234567890'],
  ['a plain url', { URL: 'https://example.com/path' }, [], 'GET https://example.com/path'],
])('%s stays readable', (_, env, args, text) => {
  expect(mask(env, args, text)).toBe(text);
});
