import { expect, test } from 'vitest';
import { minimalEnvironment } from './environment.js';

test('a child gets the usual variables and nothing else', () => {
  const parent = {
    PATH: '/bin',
    HOME: '/me',
    LC_ALL: 'C',
    XDG_RUNTIME_DIR: '/run',
    TZ: 'UTC',
    AWS_SECRET: 'x',
    PORT: '1',
    EMPTY: undefined,
  };
  expect(Object.fromEntries(minimalEnvironment(parent, 'linux'))).toEqual({
    PATH: '/bin',
    HOME: '/me',
    LC_ALL: 'C',
    XDG_RUNTIME_DIR: '/run',
    TZ: 'UTC',
  });
});

test('proxy and certificate variables pass in either spelling', () => {
  const parent = { https_proxy: 'a', HTTPS_PROXY: 'b', NODE_EXTRA_CA_CERTS: 'c', SSL_CERT_FILE: 'd' };
  expect([...minimalEnvironment(parent, 'darwin').keys()]).toEqual(Object.keys(parent));
});

test('on Windows the case of a name does not matter', () => {
  const parent = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', ComSpec: 'cmd', Secret: 'x' };
  expect([...minimalEnvironment(parent, 'win32').keys()]).toEqual([
    ...['Path', 'SystemRoot', 'ComSpec'],
    'NoDefaultCurrentDirectoryInExePath',
  ]);
  expect([...minimalEnvironment(parent, 'linux').keys()]).toEqual([]);
});
