import { describe, expect, test } from 'vitest';
import { parseExpression } from './parse.js';

describe('a faulty expression', () => {
  test.each([
    ['a[?', 'the expression ends too early at character 4'],
    ['', 'the expression ends too early at character 1'],
    ['a b', 'unexpected b at character 3'],
    ['a.', 'the expression ends too early at character 3'],
    ['[?a = `1`]', 'unexpected = at character 5'],
    ["[?a == 'x]", "unclosed ' at character 8"],
    ['[?a == `x`]', 'invalid JSON in quotes at character 8'],
    ['[0:5:0]', 'a slice has the step 0 at character 2'],
    ['length()', 'length takes 1 argument, not 0, at character 1'],
    ['a | merge()', 'merge takes at least 1 argument, not 0, at character 5'],
    ['a ☃', 'unexpected ☃ at character 3'],
    [`a.${'b'.repeat(4_000)}`, 'the expression has more than 4000 characters'],
    ['('.repeat(201), 'the expression is nested more than 200 levels deep'],
    [`a${'<a'.repeat(300)}`, 'the expression is nested more than 200 levels deep'],
    [`${'!'.repeat(300)}a`, 'the expression is nested more than 200 levels deep'],
    [`a${'[*]'.repeat(300)}`, 'the expression is nested more than 200 levels deep'],
  ])('%.40s is refused with its place', (text, message) => {
    expect(() => parseExpression(text)).toThrow(expect.objectContaining({ name: 'SelectFault', message }));
  });

  test('with an unknown function is refused with the functions that exist', () => {
    expect(() => parseExpression('size(@)')).toThrow(
      /^unknown function size at character 1\. Functions: abs, avg, .*, items, .*, unique, upper, values$/,
    );
  });

  test.each([
    ['$.items[0].name', 'items[0].name'],
    ['.items[].name', 'items[].name'],
    ['.[0].name', '[0].name'],
    ['.[]', '[]'],
    ['$', '@'],
    ['.', '@'],
    ['$[\'a-b\']["c"][*].d', '"a-b".c[*].d'],
    ['.a."b c"', 'a."b c"'],
    ['$..name', undefined],
    ['.[] | select(.state == "open") | .title', undefined],
    ['items | select(state)', undefined],
  ])('%s, in the style of JSONPath or jq, is answered with JMESPath', (text, path) => {
    const hint = path === undefined ? 'paths begin with a name' : `write ${path}`;
    expect(() => parseExpression(text)).toThrow(`This is JMESPath, not JSONPath or jq: ${hint}`);
  });
});

test('a long path and a long list of alternatives are not deep', () => {
  expect(parseExpression(`a${'.a'.repeat(1_900)}`)).toHaveProperty('steps.length', 1_901);
  expect(parseExpression(`a${'||a'.repeat(1_300)}`)).toHaveProperty('of.length', 1_301);
  expect(parseExpression(`a${'[]'.repeat(1_900)}`)).toHaveProperty('steps.length', 1_901);
});
