import { expect, test } from 'vitest';
import { linuxOnly } from '../../../test/support/platform.js';
import type { ServerConfig } from '../../config/config.js';
import { builtInSettings } from '../../limits.js';
import { authCommand } from './auth-command.js';

const computer = { env: {}, cwd: '/', platform: 'linux', home: '/home/ada' };
const server: ServerConfig = {
  toolbox: 'dev',
  name: 'linear',
  target: { kind: 'broken', reason: '' },
  toolFilters: [],
  limits: builtInSettings,
  roots: false,
  protocol: 'auto',
  secrets: [],
  disabled: false,
};

test.each([
  [undefined, 'mcp-workbench auth dev linear'],
  ['/home/ada/.config/mcp-workbench/workbench-config.json', 'mcp-workbench auth dev linear'],
  ['/srv/my tools.json', "mcp-workbench auth dev linear --config '/srv/my tools.json'"],
])('the command for a server of %s', (file, command) => {
  linuxOnly('has paths of Linux');
  expect(authCommand({ ...server, file }, computer)).toBe(command);
});
