import { expect, test } from 'vitest';
import { traceIdOf } from './trace-id.js';

const trace = '0af7651916cd43dd8448eb211c80319c';
const context = (version = '00', id = trace, parent = 'b7ad6b7169203331', rest = '') =>
  `${version}-${id}-${parent}-01${rest}`;

test('the trace id of a valid context is found, of a later version as well', () => {
  expect(traceIdOf({ traceparent: context() })).toBe(trace);
  expect(traceIdOf({ traceparent: context('cc', trace, undefined, '-what-comes-later') })).toBe(trace);
});

test.each<[string, unknown]>([
  ['no context', undefined],
  ['no text', 7],
  ['an unknown shape', 'trace'],
  ['a version that is not allowed', context('ff')],
  ['an id of zeros', context('00', '0'.repeat(32))],
  ['a parent of zeros', context('00', trace, '0'.repeat(16))],
  ['capital letters', context('00', trace.toUpperCase())],
  ['more fields than version 00 has', context('00', trace, undefined, '-more')],
  ['a text without end', context('cc', trace, undefined, `-${'x'.repeat(1_000)}`)],
])('%s gives no trace id', (_, traceparent) => {
  expect(traceIdOf({ traceparent })).toBeUndefined();
});

test('a request without _meta gives no trace id', () => {
  expect(traceIdOf(undefined)).toBeUndefined();
});
