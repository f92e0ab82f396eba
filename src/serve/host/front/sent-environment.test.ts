import { expect, test } from 'vitest';
import { parseFile } from '../../../config/read/parse.js';
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

const local = { command: 'npx', args: ['--registry', 'https://a.example'] };
const remote = { url: 'https://a.example' };
const nested = { transport: { type: 'http', url: 'https://a.example' } };

test.each<[object, boolean, object, string | undefined]>([
  [{}, true, local, undefined],
  [{ WORKBENCH_SHARED: '0' }, true, local, 'WORKBENCH_SHARED is 0'],
  [{ CI: 'true' }, true, local, 'CI is set'],
  [{ CI: '' }, true, local, undefined],
  [{}, false, local, 'the configuration has "shared": false'],
  [{ CI: '1', WORKBENCH_SHARED: '1' }, false, local, undefined],
  [{ NODE_EXTRA_CA_CERTS: '/a.pem' }, true, remote, undefined],
  [{ NODE_OPTIONS: '--use-system-ca' }, true, local, undefined],
  [{ NODE_OPTIONS: '--use-system-ca' }, true, remote, expect.stringContaining('NODE_OPTIONS is set')],
  [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, true, nested, expect.stringContaining('and there are remote servers')],
])('with %j, shared %j and the server %j the reason against a host is %s', (given, shared, server, reason) => {
  const text = JSON.stringify({ $schema: 'https://a.example/schema.json', mcpServers: { server } });
  const { file } = parseFile(text, '/workbench-config.json');
  expect(reasonAgainst({ env: { ...given }, platform: 'linux', versions: {} }, { shared, file })).toEqual(reason);
});

const embedded = { shared: true, file: undefined };

test('there is no host on Windows, nor in programs that bring their own Node.js', () => {
  expect(reasonAgainst({ env: {}, platform: 'win32', versions: {} }, embedded)).toContain('Windows');
  expect(reasonAgainst({ env: {}, platform: 'darwin', versions: { electron: '30' } }, embedded)).toContain('Node.js');
});
