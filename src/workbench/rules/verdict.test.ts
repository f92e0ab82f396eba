import { describe, expect, test } from 'vitest';
import type { ToolRules } from '../../config/config.js';
import type { Tool } from '../../contract/types.js';
import { judgeTools } from './judge-tools.js';
import { type JudgedTool, judgeName, judgeOf, unruled } from './verdict.js';

const own = (lists: Partial<ToolRules>): ToolRules => ({ from: 'server', deny: [], ask: [], allow: [], ...lists });
const byDefault = (lists: Partial<ToolRules>): ToolRules => ({ ...own(lists), from: 'defaults' });
const judge = (rules: readonly ToolRules[], tool: JudgedTool) => judgeOf({ ...unruled, rules })(tool);
const tool = (name: string, annotations?: Tool['annotations']): Tool => ({
  name,
  inputSchema: { type: 'object' },
  ...(annotations && { annotations }),
});

describe('what holds for a tool', () => {
  test.each([
    ['nothing names it', {}, 'free'],
    ['ask names it', { ask: ['send_*'] }, 'asks'],
    ['deny names it', { deny: ['send_mail'] }, 'denied'],
    ['allow names it', { allow: ['send_mail'] }, 'free'],
    ['allow beats ask', { ask: ['*'], allow: ['send_?ail'] }, 'free'],
    ['deny beats ask', { ask: ['*'], deny: ['*mail'] }, 'denied'],
    ['deny beats allow', { allow: ['send_mail'], deny: ['*'] }, 'denied'],
    ['deny beats allow and ask', { ask: ['*'], allow: ['*'], deny: ['*'] }, 'denied'],
    ['another tool is named', { ask: ['send'], deny: ['mail'], allow: ['x'] }, 'free'],
  ])('if %s', (_, lists, expected) => {
    expect(judge([own(lists)], tool('send_mail'))).toBe(expected);
  });

  test.each([
    ['deny of defaults beats allow of the server', own({ allow: ['*'] }), byDefault({ deny: ['x'] }), 'denied'],
    ['ask of defaults adds to that of the server', own({ ask: ['y'] }), byDefault({ ask: ['x'] }), 'asks'],
    ['allow of the server beats ask of defaults', own({ allow: ['x'] }), byDefault({ ask: ['*'] }), 'free'],
    ['ask of the server beats allow of defaults', own({ ask: ['x'] }), byDefault({ allow: ['*'] }), 'asks'],
    ['allow of defaults beats ask of defaults', own({ ask: ['y'] }), byDefault({ ask: ['*'], allow: ['x'] }), 'free'],
  ])('%s', (_, first, second, expected) => {
    expect(judge([first, second], tool('x'))).toBe(expected);
  });

  test.each([
    ['no hints', undefined, true, true],
    ['none of these', { idempotentHint: true }, true, true],
    ['reads', { readOnlyHint: true }, false, false],
    ['reads and destroys, which is a contradiction', { readOnlyHint: true, destructiveHint: true }, false, false],
    ['writes', { readOnlyHint: false }, true, true],
    ['adds', { destructiveHint: false }, true, false],
    ['destroys', { destructiveHint: true }, true, true],
  ])('@write and @destructive of a tool with hints: %s', (_, hints, writes, destroys) => {
    expect(judge([own({ ask: ['@write'] })], tool('x', hints))).toBe(writes ? 'asks' : 'free');
    expect(judge([own({ deny: ['@destructive'] })], tool('x', hints))).toBe(destroys ? 'denied' : 'free');
  });

  test.each([[null], ['readOnlyHint'], [['readOnlyHint']], [{ readOnlyHint: 'true' }], [{ readOnlyHint: 1 }]])(
    'hints that are not what they should be do not loosen anything: %j',
    (annotations) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server can send anything
      expect(judge([own({ ask: ['@write'] })], { name: 'x', annotations } as JudgedTool)).toBe('asks');
    },
  );

  test('a hint does not lift a rule that names the tool', () => {
    expect(judge([own({ ask: ['delete_*'] })], tool('delete_all', { readOnlyHint: true }))).toBe('asks');
  });

  test('filters come first', () => {
    const ruled = { toolFilters: ['read_*'], excludedTools: ['read_key'], rules: [own({ allow: ['*'] })] };
    expect(['read_x', 'read_key', 'write_x'].map((name) => judgeOf(ruled)(tool(name)))).toEqual([
      'free',
      'hidden',
      'hidden',
    ]);
  });

  test('of a name alone, only rules on names count', () => {
    const ruled = { ...unruled, rules: [own({ deny: ['@write', 'drop_*'] })] };
    expect([judgeName(ruled, 'x'), judgeName(ruled, 'drop_table')]).toEqual(['free', 'denied']);
  });
});

test('of two tools with the same name the stricter verdict holds', () => {
  const judgeThese = judgeOf({ ...unruled, rules: [own({ ask: ['@write'], deny: ['@destructive'] })] });
  const reads = tool('a', { readOnlyHint: true });
  const adds = tool('a', { destructiveHint: false });
  expect(judgeTools([reads, adds, tool('b')], judgeThese)).toEqual({
    tools: [reads],
    asks: new Set(['a']),
    withheld: new Map([['b', 'denied']]),
  });
  expect(judgeTools([reads, tool('a')], judgeThese)).toMatchObject({ tools: [], asks: new Set() });
});
