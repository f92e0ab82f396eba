import { expect, test } from 'vitest';
import { harmfulSetting } from './npmrc.js';

test.each([
  ['registry=https://example.org', "'registry'"],
  ['fund=false\r\n  REGISTRY = x', "'registry'"],
  ['@x:registry=https://example.org', "'registry' for its scope"],
  ['tag=evil', "'tag'"],
  ['location=global', "'location'"],
  ['ignore-scripts=false', "'ignore-scripts'"],
  ['//example.org/:tokenHelper=/x', 'something in an unusual way'],
  ['${A}:registry=x', 'something in an unusual way'],
  ['script-shell=./x', "'script-shell'"],
  ['node-options', "'node-options'"],
  ['package[]=x', "'package'"],
  ['${NOTHING?}registry=x', 'something in an unusual way'],
  ['"registry"=x', 'something in an unusual way'],
  ['regi\\stry=x', 'something in an unusual way'],
  ['[section]', 'something in an unusual way'],
  ['\uFEFFcache=x', "'cache'"],
])('%j changes what is run', (text, expected) => {
  expect(harmfulSetting(text, ['@x/server@1'])).toBe(expected);
});

test.each([
  [''],
  ['# registry=x\n; cache=y\n'],
  ['save-exact=true\nengine-strict=true\nfund=false\nloglevel=error\nlegacy-peer-deps=true'],
  ['//example.org/:_authToken=${TOKEN}'],
  ['@other:registry=https://example.org\nignore-scripts=true\naudit-level=high'],
  ['public-hoist-pattern[]=*eslint*\nshamefully-hoist=true'],
])('%j does not', (text) => {
  expect(harmfulSetting(text, ['@x/server@1'])).toBeUndefined();
});
