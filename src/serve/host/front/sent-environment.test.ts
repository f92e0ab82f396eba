import { expect, test } from 'vitest';
import { reasonAgainst } from './reason-against.js';
import { hostEnvironment, sentEnvironment } from './sent-environment.js';

const env = { PATH: '/bin', HOME: '/me', TOKEN: 'a', OTHER: 'b', 'my-var': 'c', LATE: 'd', GONE: undefined };

test('a session sends what every server gets, and what its configuration may name', () => {
  const text = '{"env":{"A":"${TOKEN}","B":"${env:GONE}"},"env_vars":["my-var"],"c":"\\u004cATE","d":"NOT_OTHER"}';
  expect(sentEnvironment(env, 'linux', text)).toEqual({
    PATH: '/bin',
    HOME: '/me',
    TOKEN: 'a',
    'my-var': 'c',
    LATE: 'd',
  });
  expect(sentEnvironment(env, 'linux', undefined)).toEqual({ PATH: '/bin', HOME: '/me' });
});

test('the host gets none of that, and no settings of Node.js', () => {
  expect(hostEnvironment({ ...env, NODE_OPTIONS: '-r x', NODE_EXTRA_CA_CERTS: 'y' }, 'linux')).toEqual({
    PATH: '/bin',
    HOME: '/me',
  });
});

test.each<[object, boolean, string, string | undefined]>([
  [{}, true, '', undefined],
  [{ WORKBENCH_SHARED: '0' }, true, '', 'WORKBENCH_SHARED is 0'],
  [{ CI: 'true' }, true, '', 'CI is set'],
  [{ CI: '' }, true, '', undefined],
  [{}, false, '', 'the configuration has "shared": false'],
  [{ CI: '1', WORKBENCH_SHARED: '1' }, false, '', undefined],
  [{ NODE_EXTRA_CA_CERTS: '/a.pem' }, true, '{"command":"npx"}', undefined],
  [
    { NODE_EXTRA_CA_CERTS: '/a.pem' },
    true,
    '{"url":"https://a.example"}',
    expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  ],
])('with %j, shared %j and the file %s the reason against a host is %s', (given, shared, text, reason) => {
  expect(reasonAgainst({ env: { ...given }, platform: 'linux', versions: {} }, shared, text)).toEqual(reason);
});

test('there is no host on Windows, nor in programs that bring their own Node.js', () => {
  expect(reasonAgainst({ env: {}, platform: 'win32', versions: {} }, true)).toContain('Windows');
  expect(reasonAgainst({ env: {}, platform: 'darwin', versions: { electron: '30' } }, true)).toContain('Node.js');
});
