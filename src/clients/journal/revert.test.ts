import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import type { Edit } from '../documents/document.js';
import { applyEdits } from '../documents/open-document.js';
import type { FileChange } from './record.js';
import { revertChange } from './revert.js';

const at = ['mcpServers'];
const ours = { command: 'node', args: ['main.js'] };

function connected(before: string, leaving: readonly string[]): FileChange {
  const edits: Edit[] = [
    ...leaving.map((name): Edit => ({ kind: 'remove', at, name })),
    { kind: 'add', at, name: 'workbench', source: { value: ours } },
  ];
  const { text, inverse } = applyEdits('json', before, edits);
  // As it comes back from the journal.
  const change = { path: '/f', real: '/f', format: 'json' as const, before, after: text, edits, inverse };
  return JSON.parse(JSON.stringify(change));
}

const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'x y', '10');
const server = fc.record({ command: fc.string(), env: fc.dictionary(fc.constantFrom('A', 'B'), fc.string()) });
const servers = fc.uniqueArray(fc.tuple(names, server), { selector: ([name]) => name, maxLength: 5 });
const indents = fc.constantFrom(undefined, 1, 2, '\t');

describe('a change is taken back', () => {
  test('byte by byte, if nobody else has changed the file', () => {
    fc.assert(
      fc.property(servers, fc.nat(31), indents, (list, chosen, indent) => {
        const before = JSON.stringify({ x: 1, mcpServers: Object.fromEntries(list) }, undefined, indent);
        const leaving = list.map(([name]) => name).filter((_, index) => (chosen >> index) & 1);
        const change = connected(before, leaving);
        expect(revertChange(change, change.after, () => false)).toMatchObject({ text: before, isExact: true });
        // The same by its edits alone.
        const after = change.after ?? '';
        const { text } = revertChange(change, `${after}\n`, () => false);
        expect(parse(text ?? '')).toEqual(parse(before));
      }),
    );
  });

  test('entry by entry otherwise, and every foreign change survives', () => {
    const foreign = fc.record({
      added: fc.uniqueArray(fc.tuple(fc.constantFrom('new', 'a', 'b'), server), {
        selector: ([name]) => name,
        maxLength: 2,
      }),
      setting: fc.string(),
      indent: indents,
    });
    fc.assert(
      fc.property(servers, fc.nat(31), foreign, (list, chosen, { added, setting, indent }) => {
        const before = JSON.stringify({ x: 1, mcpServers: Object.fromEntries(list) });
        const leaving = list.map(([name]) => name).filter((_, index) => (chosen >> index) & 1);
        const change = connected(before, leaving);
        // Another program reads the file, changes values, and writes all of it in its own form.
        const now = JSON.parse(change.after ?? '');
        now.setting = setting;
        for (const [name, value] of added) now.mcpServers[name] = value;
        const { text } = revertChange(change, JSON.stringify(now, undefined, indent), () => false);
        const expected = JSON.parse(before);
        expected.setting = setting;
        for (const [name, value] of added) expected.mcpServers[name] = value;
        expect(JSON.parse(text ?? '')).toEqual(expected);
      }),
    );
  });

  test('but not if our entry is somebody else’s by now', () => {
    const change = connected('{"mcpServers":{"a":{}}}', ['a']);
    const now = '{"mcpServers":{"workbench":{"command":"docker"}}}';
    expect(revertChange(change, now, () => false)).toMatchObject({
      text: '{"mcpServers":{"a":{},"workbench":{"command":"docker"}}}',
      notes: [
        { what: 'kept', name: 'workbench' },
        { what: 'restored', name: 'a' },
      ],
    });
  });

  test('also if the project that had the entry is gone', () => {
    const before = '{\n  "projects": { "/p": { "mcpServers": { "pg": { "command": "x" } } } }\n}';
    const edits: Edit[] = [{ kind: 'remove', at: ['projects', '/p', 'mcpServers'], name: 'pg' }];
    const { text, inverse } = applyEdits('json', before, edits);
    const change = { path: '/f', real: '/f', format: 'json' as const, before, after: text, edits, inverse };
    const { text: back } = revertChange(change, '{ "projects": {} }', () => false);
    expect(JSON.parse(back ?? '')).toEqual(JSON.parse(before));
  });
});
