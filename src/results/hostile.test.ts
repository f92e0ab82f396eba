import { describe, expect, test } from 'vitest';
import { copies, costly, hostileResults, many, object, times } from '../../test/support/hostile-results.js';
import { findIn } from './find.js';
import { firstItem, outlineValue } from './outline.js';
import { pageOfText, pageOfValue } from './page.js';
import { evaluate } from './select/evaluate.js';
import { isSelectFault } from './select/fault.js';
import { parseExpression } from './select/parse.js';
import { contentOf } from './value.js';

// Each promises 150 ms of CPU. What is asserted is five times as much: other tests run at the same time.
const maxCpuMs = 750;
const shownChars = 48_000;

/** The least of up to three runs counts: noise only adds. */
function withinCpu<T>(work: () => T): T {
  let [result, ms] = measured(work);
  for (let again = 0; again < 2 && ms >= maxCpuMs; again++) [result, ms] = measured(work);
  expect(ms).toBeLessThan(maxCpuMs);
  return result;
}

function measured<T>(work: () => T): [result: T, cpuMs: number] {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1_000];
}

/** The first page of what is selected, or the kind of the fault. */
function select(expression: string, value: unknown): string {
  try {
    return pageOfValue(evaluate(parseExpression(expression), value), 0, shownChars).text;
  } catch (error) {
    if (isSelectFault(error)) return error.kind;
    throw error;
  }
}

describe('a hostile expression', () => {
  test.each(costly)('that %s is refused as too costly', (_, expression, value) => {
    expect(withinCpu(() => select(expression, value))).toBe('too-costly');
  });

  test.each<[string, string, unknown, unknown]>([
    ['doubles a list', times(30, '[@,@]'), 1, expect.stringMatching(/^\[2 × \[2 × /)],
    ['asks thousands of times whether a large object is empty', `${many(1_900, '@')} | length([?@])`, object, '1900'],
    ['compares long strings', `length(${many(300, '@[0]==@[1]')}[?@])`, copies, '300'],
    ['reads a number of 2 MB', 'to_number(@)', '1'.repeat(2_000_000), 'null'],
    ['is a long path', `a${'.a'.repeat(1_990)}`, {}, 'null'],
    ['flattens two thousand times', '[]'.repeat(1_990), [1], '[1]'],
    ['is a long list of alternatives', `a${'||a'.repeat(1_300)}`, {}, 'null'],
    ['is nested 199 times', `${'('.repeat(199)}@${')'.repeat(199)}`, 1, '1'],
    ['walks up prototypes', '__proto__.constructor.constructor', {}, 'null'],
  ])('that %s is evaluated', (_, expression, value, result) => {
    expect(withinCpu(() => select(expression, value))).toEqual(result);
  });
});

test('a page far into an object that shares its parts is made in bounds', () => {
  const value = evaluate(parseExpression(times(60, '{a:@,b:@}')), object);
  for (const from of [1e6, 1e9, 1e15, Number.MAX_VALUE])
    expect(withinCpu(() => pageOfValue(value, from, shownChars)).text.length).toBeLessThanOrEqual(shownChars);
});

describe('a hostile result', () => {
  test.each(hostileResults)('of %s is read, outlined, searched and paged in bounds', (_, source, isText) => {
    const content = withinCpu(() => contentOf({ content: [{ type: 'text', text: source }] }));
    expect(content.isText).toBe(isText);
    for (const wanted of ['a', 'absent', `b${'a'.repeat(199)}`]) {
      const { lines } = withinCpu(() => findIn(content, wanted, 8_000));
      expect(lines.join('\n').length).toBeLessThanOrEqual(8_000);
    }
    const page = withinCpu(() =>
      content.isText ? pageOfText(content.value, 0, shownChars) : pageOfValue(content.value, 0, shownChars),
    );
    expect(page.text).not.toBe('');
    expect(page.text.length).toBeLessThanOrEqual(shownChars);
    expect(withinCpu(() => outlineValue(content.value)).length).toBeLessThanOrEqual(1_400);
    expect(withinCpu(() => firstItem(content.value))?.text.length ?? 0).toBeLessThanOrEqual(400);
  });
});
