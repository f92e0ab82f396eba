import { isRecord } from '../json.js';
import type { CallToolResult } from '../types.js';

const firstModernRevision = '2026-07-28';

/** Since which revision an agent can read a kind of content. */
const kindSince = new Map([
  ['text', '2024-11-05'],
  ['image', '2024-11-05'],
  ['resource', '2024-11-05'],
  ['audio', '2025-03-26'],
  ['resource_link', '2025-06-18'],
]);

/** Says in the agent's revision what that revision has no other word for; everything else stays as the server sent it. */
export function project(result: CallToolResult, revision: string): CallToolResult {
  const content = Array.isArray(result.content) ? result.content.map((block) => projectBlock(block, revision)) : [];
  const { structuredContent } = result;
  const readable = structuredContent === undefined || isRecord(structuredContent) || revision >= firstModernRevision;
  if (readable) return { ...result, content };
  // Before 2026-07-28 structured content had to be an object; an agent of that time breaks on anything else.
  return { ...result, content, structuredContent: { result: structuredContent } };
}

type Block = NonNullable<CallToolResult['content']>[number];

function projectBlock(block: Block, revision: string): Block {
  const since = isRecord(block) ? kindSince.get(block.type) : undefined;
  if (since !== undefined && since <= revision) return block;
  return { type: 'text', text: JSON.stringify(block) };
}
