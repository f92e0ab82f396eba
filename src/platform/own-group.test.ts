import { expect, test } from 'vitest';
import { isOwnGroup } from './own-group.js';

test('the group of the user is their own, unless it is the group of every user', () => {
  expect(isOwnGroup(1000, { gid: 1000, platform: 'linux' })).toBe(true);
  expect(isOwnGroup(1001, { gid: 1000, platform: 'linux' })).toBe(false);
  expect(isOwnGroup(100, { gid: 100, platform: 'linux' })).toBe(false);
  expect(isOwnGroup(20, { gid: 20, platform: 'darwin' })).toBe(false);
  expect(isOwnGroup(20, { gid: 20, platform: 'linux' })).toBe(true);
});
