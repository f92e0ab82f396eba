import { expect, test } from 'vitest';
import type { CallToolResult } from '../contract/types.js';
import { project } from './project.js';
import { ValueResult } from './tool-result.js';

const projected = (result: CallToolResult, revision: string) => project(new ValueResult(result), revision).value();

const audio = { type: 'audio', data: 'AA==', mimeType: 'audio/wav', vendor: 1 };
const link = { type: 'resource_link', uri: 'file:///x', name: 'x' };
const future = { type: 'hologram', depth: 3 };
const asText = (block: object) => ({ type: 'text', text: JSON.stringify(block) });

test.each([
  ['2024-11-05', [asText(audio), asText(link), asText(future)]],
  ['2025-03-26', [audio, asText(link), asText(future)]],
  ['2025-11-25', [audio, link, asText(future)]],
  ['2026-07-28', [audio, link, asText(future)]],
])('an agent of %s gets the kinds of content it can read, the others as text', (revision, content) => {
  expect(projected({ content: [audio, link, future] }, revision).content).toEqual(content);
});

test('structured content that is not an object is wrapped for agents that cannot read it', () => {
  expect(projected({ content: [], structuredContent: [1] }, '2025-11-25').structuredContent).toEqual({ result: [1] });
  expect(projected({ content: [], structuredContent: [1] }, '2026-07-28').structuredContent).toEqual([1]);
  expect(projected({ content: [], structuredContent: { a: 1 } }, '2025-11-25').structuredContent).toEqual({ a: 1 });
  expect(projected({ content: [], structuredContent: null }, '2025-11-25').structuredContent).toEqual({ result: null });
});

test('everything else is unchanged, and missing content becomes an empty list', () => {
  const result = { isError: true, _meta: { a: 1 }, vendor: [1], structuredContent: { b: 2 } };
  expect(projected(result, '2025-11-25')).toEqual({ ...result, content: [] });
});
