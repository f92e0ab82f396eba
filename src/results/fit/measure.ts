import type { CallToolResult } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import type { CountedResult } from '../../limits.js';

/** How much of a result a client shows, and what it counts. */
export interface ShownLimit {
  readonly chars: number;
  readonly counts: CountedResult;
  readonly inBytes?: boolean | undefined;
  /** It is set in the configuration. */
  readonly isConfigured?: boolean | undefined;
}

/** How large a result is for this client. */
export function measure(result: CallToolResult, { counts, inBytes = false }: ShownLimit): number {
  const sizeOf = (text: string) => (inBytes ? Buffer.byteLength(text) : text.length);
  if (counts === 'json') return sizeOf(JSON.stringify(result));
  const texts = textsOf(result).reduce((sum, text) => sum + sizeOf(text), 0);
  const { structuredContent } = result;
  if (counts === 'text' || structuredContent === undefined) return texts;
  const structured = sizeOf(JSON.stringify(structuredContent));
  return counts === 'both' ? texts + structured : structured;
}

/** Texts of resources are shown like others. */
function textsOf({ content }: CallToolResult): string[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => {
    if (!isRecord(block)) return [];
    const { text, resource } = block;
    const inner = isRecord(resource) ? resource['text'] : undefined;
    return [text, inner].filter((one) => typeof one === 'string');
  });
}
