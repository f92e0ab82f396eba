import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { makeUserDirectories, userComputer } from './user-place.js';

const key = '0123456789abcdef0123456789abcdef';

test('a user gets a home of their own, and nothing of the user that the service runs as', () => {
  const home = temporaryDirectory();
  const env = {
    ...{ PATH: '/bin', LANG: 'de', LC_ALL: 'C', https_proxy: 'http://proxy', HOME: home, USER: 'operator' },
    ...{ SSH_AUTH_SOCK: '/agent', XDG_DATA_HOME: join(home, 'data'), AWS_SECRET: 'secret', DISPLAY: ':0' },
  };
  const service = { env, cwd: home, home, platform: 'linux' };
  const computer = userComputer(service, key);
  const own = join(home, 'data', 'mcp-workbench', 'users', key);
  expect(computer).toEqual({
    home: own,
    cwd: join(own, 'work'),
    platform: 'linux',
    env: { PATH: '/bin', LANG: 'de', LC_ALL: 'C', https_proxy: 'http://proxy', HOME: own },
  });
  makeUserDirectories(computer, service);
  for (const made of [join(home, 'data', 'mcp-workbench', 'users'), own, computer.cwd])
    expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('a user whose directory cannot be made is refused with what the operator has to fix', () => {
  const home = temporaryDirectory();
  const service = { env: { HOME: home }, cwd: home, home, platform: 'linux' };
  const data = join(home, '.local', 'share', 'mcp-workbench');
  mkdirSync(data, { recursive: true });
  chmodSync(data, 0o777);
  const computer = userComputer(service, key);
  expect(() => makeUserDirectories(computer, service)).toThrow(
    expect.objectContaining({ code: 'USER_DIRECTORY_UNUSABLE', hint: expect.stringContaining('can be written to') }),
  );
  expect(existsSync(join(data, 'users'))).toBe(false);
  chmodSync(data, 0o700);
  writeFileSync(join(data, 'users'), 'a file');
  expect(() => makeUserDirectories(computer, service)).toThrow('The directory of this user cannot be used');
});
