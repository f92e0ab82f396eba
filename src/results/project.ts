import type { CallToolResult } from '../contract/types.js';
import { isRecord } from '../jsonrpc/json.js';
import { modernRevision } from '../jsonrpc/revisions.js';
import { PackedResult } from './packed-result.js';

/** Since which revision an agent can read a kind of content. */
const kindSince = new Map([
  ['text', '2024-11-05'],
  ['image', '2024-11-05'],
  ['resource', '2024-11-05'],
  ['audio', '2025-03-26'],
  ['resource_link', '2025-06-18'],
]);

/** Says in the agent's revision what that revision has no other word for; everything else stays as the server sent it. */
export function project(result: CallToolResult, revision: string): CallToolResult;
export function project(result: CallToolResult | PackedResult, revision: string): CallToolResult | PackedResult;
export function project(result: CallToolResult | PackedResult, revision: string): CallToolResult | PackedResult {
  if (result instanceof PackedResult)
    return isReadable(result, revision) ? result : projectObject(result.unpack(), revision);
  return projectObject(result, revision);
}

function isReadable({ kinds, hasObject }: PackedResult, revision: string): boolean {
  return (hasObject || revision >= modernRevision) && [...kinds].every((kind) => isKnown(kind, revision));
}

function projectObject(result: CallToolResult, revision: string): CallToolResult {
  if (result['resultType'] === 'input_required') return result;
  const content = projectContent(result.content, revision);
  const { structuredContent } = result;
  const readable = structuredContent === undefined || isRecord(structuredContent) || revision >= modernRevision;
  if (readable) return content === result.content ? result : { ...result, content };
  // Before 2026-07-28 structured content had to be an object; an agent of that time breaks on anything else.
  return { ...result, content, structuredContent: { result: structuredContent } };
}

type Block = NonNullable<CallToolResult['content']>[number];

function projectContent(content: Block[] | undefined, revision: string): Block[] {
  if (!Array.isArray(content)) return [];
  const isKnownBlock = (block: unknown) => isRecord(block) && isKnown(block['type'], revision);
  return content.every(isKnownBlock) ? content : content.map((block) => projectBlock(block, revision));
}

function isKnown(kind: unknown, revision: string): boolean {
  const since = typeof kind === 'string' ? kindSince.get(kind) : undefined;
  return since !== undefined && since <= revision;
}

function projectBlock(block: Block, revision: string): Block {
  if (isRecord(block) && isKnown(block.type, revision)) return block;
  return { type: 'text', text: JSON.stringify(block) };
}
