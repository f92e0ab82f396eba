import { expect, test } from 'vitest';
import { hostName, newName, sharedNameOf } from './socket-names.js';

test('sessions of another build look for their host at another name', () => {
  const nameOf = (ofBuild: string, pid: number) => hostName('0'.repeat(8), ofBuild, 'f'.repeat(12), pid);
  const shared = sharedNameOf(nameOf('tests', 4_711));
  expect(shared).toMatch(/^host-.*\.sock$/);
  expect(sharedNameOf(nameOf('tests', 1))).toBe(shared);
  expect(sharedNameOf(nameOf('best', 4_711))).not.toBe(shared);
  expect([newName('/a'), newName(undefined)].map(sharedNameOf)).toEqual([undefined, undefined]);
});
