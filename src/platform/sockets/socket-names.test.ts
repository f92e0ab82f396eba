import { expect, test } from 'vitest';
import { hostName, isHostOfOtherBuild, newName } from './socket-names.js';

test('the name of a host says whether it may serve sessions of this build', () => {
  const nameOf = (ofBuild: string) => hostName('0'.repeat(64), ofBuild, 'f'.repeat(64), 4_711);
  expect(['tests', 'best', '0123abcd'].map(nameOf).map(isHostOfOtherBuild)).toEqual([false, true, true]);
  expect([newName('/a'), newName(undefined)].map(isHostOfOtherBuild)).toEqual([false, false]);
});
