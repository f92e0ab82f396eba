import { expect, test } from 'vitest';
import { configCandidates, type FindOptions } from './find.js';

const linux: FindOptions = { env: {}, cwd: '/project', platform: 'linux', home: '/home/me' };
const paths = (options: FindOptions) => configCandidates(options).map(({ path }) => path);

test('if no file is named, the working directory is searched first, then the configuration directory of the user', () => {
  expect(configCandidates(linux)).toEqual([
    { path: '/project/workbench-config.json', needsTrust: true },
    { path: '/home/me/.config/mcp-workbench/workbench-config.json' },
  ]);
});

test.each([
  [{ XDG_CONFIG_HOME: '/xdg' }, '/xdg/mcp-workbench/workbench-config.json'],
  [{ XDG_CONFIG_HOME: '' }, '/home/me/.config/mcp-workbench/workbench-config.json'],
  [{ XDG_CONFIG_HOME: 'relative' }, '/home/me/.config/mcp-workbench/workbench-config.json'],
])('with %j the file of the user is %s', (env, expected) => {
  expect(paths({ ...linux, env })[1]).toBe(expected);
});

test('macOS and Windows have their own configuration directories', () => {
  expect(paths({ ...linux, platform: 'darwin', home: '/Users/me' })[1]).toBe(
    '/Users/me/Library/Application Support/mcp-workbench/workbench-config.json',
  );
  const windows = { ...linux, platform: 'win32', cwd: 'C:\\project', home: 'C:\\Users\\me' };
  expect(paths(windows)).toEqual([
    'C:\\project\\workbench-config.json',
    'C:\\Users\\me\\AppData\\Roaming\\mcp-workbench\\workbench-config.json',
  ]);
  expect(paths({ ...windows, env: { APPDATA: 'D:\\data' } })[1]).toBe('D:\\data\\mcp-workbench\\workbench-config.json');
});

test('a named file is the only one, --config before WORKBENCH_CONFIG', () => {
  const env = { WORKBENCH_CONFIG: '~/mine.json' };
  expect(configCandidates({ ...linux, env })).toEqual([{ path: '/home/me/mine.json', namedBy: 'WORKBENCH_CONFIG' }]);
  expect(configCandidates({ ...linux, env, path: '../a.json' })).toEqual([
    { path: '/a.json', namedBy: '--config', isRelative: true },
  ]);
});

test('in the configuration directory of the user there is only the file of the user, which needs no trust', () => {
  expect(configCandidates({ ...linux, cwd: '/home/me/.config/mcp-workbench' })).toEqual([
    { path: '/home/me/.config/mcp-workbench/workbench-config.json' },
  ]);
});

test('an empty WORKBENCH_CONFIG counts as not set', () => {
  expect(paths({ ...linux, env: { WORKBENCH_CONFIG: '' } })).toHaveLength(2);
});
