import type { CallToolResult } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';
import { modernRevision } from '../jsonrpc/revisions.js';
import { type ToolResult, ValueResult } from './tool-result.js';

/** The first revision that supports each kind of content. */
const kindSince = new Map([
  ['text', '2024-11-05'],
  ['image', '2024-11-05'],
  ['resource', '2024-11-05'],
  ['audio', '2025-03-26'],
  ['resource_link', '2025-06-18'],
]);

/** Rewrites what the agent's revision does not support; everything else stays as the server sent it. */
export function project(result: ToolResult, revision: string): ToolResult {
  if (result.isInputRequired || isReadable(result, revision)) return result;
  return new ValueResult(projectValue(result.value(), revision));
}

function isReadable(result: ToolResult, revision: string): boolean {
  if (!result.hasObject && revision < modernRevision) return false;
  return result.everyKind((kind) => isKnown(kind, revision));
}

function projectValue(result: CallToolResult, revision: string): CallToolResult {
  const content = projectContent(result.content, revision);
  const { structuredContent } = result;
  if (structuredContent === undefined || isRecord(structuredContent) || revision >= modernRevision) {
    return { ...result, content };
  }
  // Before 2026-07-28 structured content had to be an object; legacy agents reject anything else.
  return { ...result, content, structuredContent: { result: structuredContent } };
}

type Block = NonNullable<CallToolResult['content']>[number];

function projectContent(content: Block[] | undefined, revision: string): Block[] {
  return Array.isArray(content) ? content.map((block) => projectBlock(block, revision)) : [];
}

function isKnown(kind: unknown, revision: string): boolean {
  const since = typeof kind === 'string' ? kindSince.get(kind) : undefined;
  return since !== undefined && since <= revision;
}

function projectBlock(block: Block, revision: string): Block {
  if (isRecord(block) && isKnown(block.type, revision)) return block;
  return { type: 'text', text: JSON.stringify(block) };
}
