import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';

/** One block of a result, as a person reads it. */
export type ShownBlock =
  | { readonly is: 'text'; readonly text: string }
  /** What can be kept in a file. `label` says what it is. */
  | { readonly is: 'data'; readonly label: string; readonly mimeType: string; readonly bytes: Buffer }
  | { readonly is: 'note'; readonly text: string };

/** The blocks of a result. Servers may send anything, so nothing is expected of them. */
export function blocksOf(result: JsonObject): ShownBlock[] {
  const { content, structuredContent } = result;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  // What a tool says twice is shown once.
  if (blocks.length === 0 && structuredContent !== undefined)
    return [{ is: 'text', text: JSON.stringify(structuredContent) }];
  return blocks.map((block) => blockOf(isRecord(block) ? block : {}));
}

function blockOf(block: JsonObject): ShownBlock {
  const { type, text, data, mimeType, resource, uri, name } = block;
  if (type === 'text' && typeof text === 'string') return { is: 'text', text };
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return dataBlock(textOf(mimeType) ?? type, Buffer.from(data, 'base64'));
  if (type === 'resource' && isRecord(resource)) return resourceBlock(resource);
  if (type === 'resource_link')
    return { is: 'note', text: `[link ${[textOf(name), textOf(uri)].filter(Boolean).join(' ')}]` };
  return {
    is: 'note',
    text: `[${textOf(type) ?? 'content'} of ${JSON.stringify(block).length} characters; --json shows it]`,
  };
}

/** The text of a resource is text; other kinds are data. */
function resourceBlock({ text, blob, mimeType, uri }: JsonObject): ShownBlock {
  if (typeof text === 'string') return { is: 'text', text };
  const bytes = Buffer.from(textOf(blob) ?? '', 'base64');
  return dataBlock([textOf(mimeType), textOf(uri)].filter(Boolean).join(' ') || 'resource', bytes, textOf(mimeType));
}

function dataBlock(label: string, bytes: Buffer, mimeType = label): ShownBlock {
  return { is: 'data', label, mimeType, bytes };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `34 KB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
