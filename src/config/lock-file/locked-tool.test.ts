import { describe, expect, test } from 'vitest';
import { listedTools } from '../../../test/support/real-tools.js';
import type { Tool } from '../../contract/types.js';
import { canonicalJson } from '../../jsonrpc/canonical-json.js';
import { isApprovedTool, lockedCopy, lockedView, toolHash } from './locked-tool.js';

const tool: Tool = {
  name: 'send',
  title: 'Send',
  description: 'Sends a message.',
  inputSchema: { type: 'object', properties: { to: { type: 'string' }, text: { type: 'string' } }, required: ['to'] },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, held]) => [key, shuffled(held)]),
  );
}

describe('what is compared of a tool', () => {
  test.each<[string, Partial<Tool>]>([
    ['the name', { name: 'sent' }],
    ['the title', { title: 'Send it' }],
    ['the description', { description: 'Sends a message. ' }],
    ['a description deep in a schema', { inputSchema: { type: 'object', properties: { to: { description: 'x' } } } }],
    ['what is required', { inputSchema: { ...tool.inputSchema, required: ['text'] } }],
    ['the output schema', { outputSchema: { type: 'object', title: 'x' } }],
    ['that there is an output schema', { outputSchema: undefined }],
    ...(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const).map(
      (hint): [string, Partial<Tool>] => [
        hint,
        { annotations: { ...tool.annotations, [hint]: tool.annotations?.[hint] !== true } },
      ],
    ),
    ['the title among the hints', { annotations: { ...tool.annotations, title: 'x' } }],
  ])('depends on %s', (_, change) => {
    // A field that is undefined is one that is not there.
    expect(toolHash({ ...tool, ...change })).not.toBe(toolHash(tool));
    expect(isApprovedTool({ ...tool, ...change }, { copy: tool })).toBe(false);
    expect(isApprovedTool(tool, { copy: { ...tool, ...change } })).toBe(false);
  });

  test.each<[string, object]>([
    ['the order of keys, at every depth', shuffled(tool) as object],
    ['_meta', { ...tool, _meta: { version: 2 } }],
    ['icons', { ...tool, icons: [{ src: 'https://example.com/2.png' }] }],
    ['fields of later revisions', { ...tool, fromTheFuture: 'x' }],
    ['other annotations', { ...tool, annotations: { ...tool.annotations, audience: ['user'] } }],
  ])('does not depend on %s', (_, other) => {
    expect(toolHash(other as Tool)).toBe(toolHash(tool));
    expect(isApprovedTool(other as Tool, { copy: lockedCopy(tool) })).toBe(true);
  });

  test('is the same for every real tool with its keys in another order, and different for all of them', () => {
    const tools = Object.values(listedTools).flat();
    for (const one of tools) {
      expect(toolHash(shuffled(one) as Tool)).toBe(toolHash(one));
      const same = tools.filter((other) => isApprovedTool(shuffled(one) as Tool, { copy: lockedCopy(other) }));
      expect(same.map((other) => toolHash(other))).toEqual(same.map(() => toolHash(one)));
      expect(same).toContain(one);
    }
    expect(new Set(tools.map(toolHash)).size).toBe(new Set(tools.map((one) => JSON.stringify(one))).size);
  });

  test('is the same after a number that JSON cannot write was stored', () => {
    const large: Tool = JSON.parse('{"name":"a","inputSchema":{"type":"object","maximum":1e999}}');
    const stored = JSON.parse(JSON.stringify(lockedCopy(large)));
    expect(isApprovedTool(large, { copy: stored })).toBe(true);
    expect(isApprovedTool({ ...large, inputSchema: { type: 'object', maximum: 1 } }, { copy: stored })).toBe(false);
  });

  test('treats keys such as __proto__ like any other', () => {
    const withKey = (text: string): Tool => JSON.parse(`{"name":"a","inputSchema":{"__proto__":{"type":"${text}"}}}`);
    expect(toolHash(withKey('one'))).not.toBe(toolHash(withKey('two')));
    expect(canonicalJson(withKey('one'))).toBe('{"inputSchema":{"__proto__":{"type":"one"}},"name":"a"}');
  });
});

test('a tool without what is not locked has no unapproved text', () => {
  const talkative = {
    ...tool,
    _meta: { note: 'SECRET' },
    icons: [{ src: 'SECRET' }],
    more: 'SECRET',
    annotations: { ...tool.annotations, more: 'SECRET' },
    execution: { taskSupport: 'SECRET' },
  };
  expect(lockedView(talkative)).toEqual(tool);
  expect(lockedView({ ...tool, execution: { taskSupport: 'required', more: 'SECRET' } })).toEqual({
    ...tool,
    execution: { taskSupport: 'required' },
  });
});
