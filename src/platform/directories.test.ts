import { describe, expect, test } from 'vitest';
import {
  cacheDirectoryOf,
  configDirectoryOf,
  dataDirectoryOf,
  logDirectoryOf,
  ownPartOf,
  stateDirectoryOf,
} from './directories.js';

const linux = { platform: 'linux', env: {}, home: '/home/me' };
const all = {
  config: configDirectoryOf,
  state: stateDirectoryOf,
  data: dataDirectoryOf,
  log: logDirectoryOf,
  cache: cacheDirectoryOf,
};

describe.each(Object.entries(all))('the %s directory', (_, directoryOf) => {
  test.each(['relative', './x', '../x', ''])('ignores %j, which would lead into the working directory', (value) => {
    const names = ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'APPDATA', 'LOCALAPPDATA'];
    const env = Object.fromEntries(names.map((name) => [name, value]));
    expect(directoryOf({ ...linux, env })).toBe(directoryOf(linux));
    const windows = { platform: 'win32', home: 'C:\\Users\\me', env: {} };
    expect(directoryOf({ ...windows, env })).toBe(directoryOf(windows));
  });

  test('contains a directory of ours', () => {
    for (const platform of ['linux', 'darwin']) {
      expect(ownPartOf(directoryOf({ ...linux, platform }), platform)).toMatch(/\/mcp-workbench$/);
    }
    expect(ownPartOf(directoryOf({ platform: 'win32', env: {}, home: 'C:\\me' }), 'win32')).toMatch(/\\mcp-workbench$/);
  });
});

test('each platform keeps its state elsewhere', () => {
  expect(stateDirectoryOf(linux)).toBe('/home/me/.local/state/mcp-workbench');
  expect(stateDirectoryOf({ ...linux, env: { XDG_STATE_HOME: '/s' } })).toBe('/s/mcp-workbench');
  expect(stateDirectoryOf({ ...linux, platform: 'darwin' })).toBe('/home/me/Library/Application Support/mcp-workbench');
  const windows = { platform: 'win32', home: 'C:\\me', env: { LOCALAPPDATA: 'D:\\l' } };
  expect(stateDirectoryOf(windows)).toBe('D:\\l\\mcp-workbench');
});

test('each platform keeps its data elsewhere', () => {
  expect(dataDirectoryOf(linux)).toBe('/home/me/.local/share/mcp-workbench');
  expect(dataDirectoryOf({ ...linux, env: { XDG_DATA_HOME: '/d' } })).toBe('/d/mcp-workbench');
  expect(dataDirectoryOf({ ...linux, platform: 'darwin' })).toBe('/home/me/Library/Application Support/mcp-workbench');
  const windows = { platform: 'win32', home: 'C:\\me', env: { LOCALAPPDATA: 'D:\\l' } };
  expect(dataDirectoryOf(windows)).toBe('D:\\l\\mcp-workbench');
});
