import { expect, test } from 'vitest';
import { serverConfig } from '../../../test/support/fake-port.js';
import { linuxOnly } from '../../../test/support/platform.js';
import { authCommand } from './auth-command.js';

const computer = { env: {}, cwd: '/', platform: 'linux', home: '/home/ada' };
const server = { ...serverConfig(), name: 'linear' };

test.each([
  [undefined, 'mcp-workbench auth dev linear'],
  ['/home/ada/.config/mcp-workbench/workbench-config.json', 'mcp-workbench auth dev linear'],
  ['/srv/my tools.json', "mcp-workbench auth dev linear --config '/srv/my tools.json'"],
])('the command for a server of %s', (file, command) => {
  linuxOnly('has paths of Linux');
  expect(authCommand({ ...server, file }, computer)).toBe(command);
});
