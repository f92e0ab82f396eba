import type { Tool } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import { withoutHidden } from '../../text/hidden.js';
import type { ReplaceAny } from '../../text/replace-any.js';
import type { Downstream } from '../../workbench/ports/downstream.js';
import type { Mask } from './mask.js';

const deepest = 500;
const kinds = new Map<string, Exclude<keyof Mask, 'text'>>([
  ...['description', 'title', '$comment', 'markdownDescription'].map((key) => [key, 'prose'] as const),
  ...['default', 'examples', 'const'].map((key) => [key, 'values'] as const),
]);

/** The same connection; what it lists contains no configured secret. */
export function maskListing(downstream: Downstream, mask: Mask, warn: (message: string) => void): Downstream {
  const { instructions } = downstream;
  return {
    ...downstream,
    instructions: instructions && unhidden(mask.prose)(instructions),
    listTools: async (signal) => maskTools(await downstream.listTools(signal), mask, warn),
  };
}

/** The tools without configured secrets. One whose name contains a secret is left out: under another name it could not be called. */
function maskTools(tools: readonly Tool[], mask: Mask, warn: (message: string) => void): readonly Tool[] {
  const kept = tools.filter(({ name }) => unhidden(mask.names)(name) === name);
  if (kept.length < tools.length) {
    warn(`left out tools whose names contain a configured secret: ${tools.length - kept.length}`);
  }
  return kept.map((tool) => ({ ...tool, ...maskedEntries(tool, mask, 0), name: tool.name }));
}

/** Also finds a secret with hidden characters in it, which are removed from listings. */
function unhidden(replace: ReplaceAny): ReplaceAny {
  return (text) => {
    const plain = withoutHidden(text);
    const replaced = replace(plain);
    return replaced === plain && plain !== text ? replace(text) : replaced;
  };
}

/** The fields of an object that contain a secret, masked; the keys as well. */
function maskedEntries(value: Readonly<Record<string, unknown>>, mask: Mask, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [unhidden(mask.names)(key), masked(field, key, mask, depth + 1)]),
  );
}

function masked(value: unknown, key: string, mask: Mask, depth: number): unknown {
  if (typeof value === 'string') return unhidden(mask[kinds.get(key) ?? 'names'])(value);
  if (depth > deepest) return null;
  if (Array.isArray(value)) return value.map((item) => masked(item, key, mask, depth + 1));
  return isRecord(value) ? maskedEntries(value, mask, depth) : value;
}
