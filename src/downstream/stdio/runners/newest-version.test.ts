import { expect, test } from 'vitest';
import { hasTag, isExact, newestIn } from './newest-version.js';

test.each([
  ['"1.2.3"', '1.2.3'],
  ['["1.10.0","1.9.0","1.2.5"]', '1.10.0'],
  ['["2.0.0-rc.1","2.0.0-rc.10","2.0.0-rc.9"]', '2.0.0-rc.10'],
  ['["2.0.0","2.0.0-rc.1"]', '2.0.0'],
  ['["1.0.0","evil; rm"]', '1.0.0'],
  ['{"error":1}', undefined],
  ['', undefined],
])('of %s the newest version is %s', (answer, version) => {
  expect(newestIn(answer)).toBe(version);
});

test.each([
  ['name', false, false],
  ['@scope/name@latest', true, false],
  ['name@next', true, false],
  ['name@1.2.3', false, true],
  ['name@v1.2.3-rc.1', false, true],
  ['name@^1', false, false],
  ['name@1.x', false, false],
  ['name@x', false, false],
])('%s has a tag: %s, is one version: %s', (spec, tag, exact) => {
  expect([hasTag(spec), isExact(spec)]).toEqual([tag, exact]);
});
