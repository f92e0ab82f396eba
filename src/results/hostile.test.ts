import { describe, expect, test } from 'vitest';
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

const list = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const times = (count: number, part: string, between = '|') => Array(count).fill(part).join(between);
const many = (count: number, part: string) => `[${times(count, part, ',')}]`;

const numbers = list(500_000, (n) => n);
const object = Object.fromEntries(list(100_000, (n) => [`key${n}`, n]));
const text = 'a'.repeat(2_000_000);
// Equal strings that are not the same string.
const copies: unknown = JSON.parse(JSON.stringify(['a'.repeat(1_000_000), 'a'.repeat(1_000_000)]));

describe('a hostile expression', () => {
  test.each<[string, string, unknown]>([
    ['doubles a list and flattens it', `[@]|${times(30, '[@,@][]')}`, 1],
    ['doubles by to_string', times(30, 'to_string([@,@])'), 'a'],
    ['doubles by join', times(30, "join('',[@,@])"), 'ab'],
    ['joins 16 MB', "join('',[@,@,@,@,@,@,@,@,@])", text],
    [
      'compares two values that share their parts',
      `{a: (${times(30, '[@,@]')}), b: (${times(30, '[@,@]')})} | a == b`,
      1,
    ],
    ['sorts 500,000 items', 'sort(@)', numbers],
    ['sorts 500,000 items by themselves', 'sort_by(@, &@)', numbers],
    ['filters 500,000 items', times(30, '[?@ >= `0`]'), numbers],
    ['projects 500,000 items', times(100, '[*]'), numbers],
    ['reverses 500,000 items', times(100, 'reverse(@)'), numbers],
    ['slices 500,000 items', times(100, '[::-1]'), numbers],
    ['sums 500,000 items', many(400, 'sum(@)'), numbers],
    ['writes 500,000 items', many(100, 'to_string(@)'), numbers],
    ['flattens 500,000 empty lists', many(900, '@[]'), list(500_000, () => [])],
    ['finds unique items', 'unique(@)', list(10_000, (n) => ({ n }))],
    ['groups 400,000 items', 'group_by(@, &k)', list(400_000, (n) => ({ k: `${n}` }))],
    ['makes 300 keys of 10,000 items', `[*].{${list(300, (n) => `k${n}: @`).join(',')}}`, list(10_000, (n) => n)],
    ['merges 100,000 keys', many(200, 'merge(@,@)'), object],
    ['lists 100,000 keys', many(200, 'items(@)'), object],
    ['splits 2 MB', "split(@, '')", text],
    ['changes the case of 2 MB', times(100, 'upper(lower(@))'), text],
    ['reverses 2 MB', times(100, 'reverse(@)'), text],
    ['searches 2 MB for 3,000 characters', `contains(@, 'b${'a'.repeat(3_000)}')`, text],
    ['nests lists', times(900, '[@]'), 1],
    [
      'compares deep literals',
      `\`${'['.repeat(900)}${']'.repeat(900)}\` == \`${'['.repeat(900)}${']'.repeat(900)}\``,
      1,
    ],
  ])('that %s is refused as too costly', (_, expression, value) => {
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
  const results: [string, string, boolean][] = [
    ['500,000 numbers', JSON.stringify(numbers), false],
    ['100,000 keys', JSON.stringify(object), false],
    ['100,000 levels of lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, true],
    ['4,500,000 levels of lists', `${'['.repeat(4_500_000)}${']'.repeat(4_500_000)}`, true],
    ['100,000 levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, true],
    ['9 MB in one line', 'words and more '.repeat(600_000), true],
    ['9 MB of lines', 'a\n'.repeat(4_500_000), true],
    ['a string of 9 MB', JSON.stringify(['a'.repeat(9_000_000)]), false],
    ['one item of 9 MB', JSON.stringify([{ list: list(300_000, (n) => ({ id: n, name: `name ${n}` })) }]), false],
    ['a string of backslashes', `["${'\\\\'.repeat(4_000_000)}"]`, false],
    ['a string without an end', `["${'\\"'.repeat(4_000_000)}`, true],
  ];

  test.each(results)('of %s is read, outlined, searched and paged in bounds', (_, source, isText) => {
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
