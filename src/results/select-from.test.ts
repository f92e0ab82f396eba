import { expect, test } from 'vitest';
import { selectFrom } from './select-from.js';

const result = { content: [{ type: 'text', text: '[{"n": 1, "state": "open"}, {"n": 2, "state": "closed"}]' }] };

test('an expression is applied to the JSON of a result', () => {
  expect(selectFrom(result, "[?state=='open'].n")).toEqual([1]);
  expect(selectFrom({ structuredContent: { a: 5 } }, 'a')).toBe(5);
});

test('an expression is applied to the text of a result that is no JSON', () => {
  expect(selectFrom({ content: [{ type: 'text', text: 'a,b' }] }, "split(@, ',')")).toEqual(['a', 'b']);
});

test.each([
  ['a[?', 'select: the expression ends too early at character 4'],
  ['abs(@)', 'select: abs: argument 1 is array, not number'],
  ["join('', @)", 'select: join: argument 2 is an array of other values, not array of strings'],
])('an expression that cannot be applied is an error of the workbench: %s', (expression, message) => {
  expect(() => selectFrom(result, expression)).toThrow(
    expect.objectContaining({ name: 'WorkbenchError', code: 'INPUT_INVALID', message }),
  );
});
