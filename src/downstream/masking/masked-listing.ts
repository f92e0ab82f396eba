import type { Tool } from '../../contract/types.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { mapInSlices } from '../../platform/slices.js';
import type { Downstream } from '../../workbench/ports/downstream.js';
import type { ListedTools } from '../../workbench/ports/tool-cache.js';
import type { Mask } from './mask.js';

const kinds = new Map<string, Exclude<keyof Mask, 'text'>>([
  ...['description', 'title', '$comment', 'markdownDescription'].map((key) => [key, 'prose'] as const),
  ...['default', 'examples', 'const'].map((key) => [key, 'values'] as const),
]);

/** The same connection; what it lists contains no configured secret. Listings have no hidden characters and a limited depth by then. */
export function maskListing(downstream: Downstream, mask: Mask): Downstream {
  const { instructions, about, software } = downstream;
  return {
    ...downstream,
    instructions: instructions && mask.prose(instructions),
    about: about && mask.prose(about),
    software: software && mask.prose(software),
    listTools: async (signal) => maskTools(await downstream.listTools(signal), mask),
  };
}

/** One whose name contains a secret is left out: under another name it could not be called. */
async function maskTools({ tools, omissions }: ListedTools, mask: Mask): Promise<ListedTools> {
  const named = tools.filter(({ name }) => mask.names(name) === name);
  const masked = await mapInSlices(named, (tool): Tool => ({ ...tool, ...maskedEntries(tool, mask) }));
  const secret = tools.length - named.length;
  return { tools: masked, omissions: secret === 0 ? omissions : { ...omissions, secret } };
}

/** The fields of an object, masked; the keys as well. */
function maskedEntries(value: JsonObject, mask: Mask): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [mask.names(key), maskedField(field, key, mask)]),
  );
}

function maskedField(value: unknown, key: string, mask: Mask): unknown {
  if (typeof value === 'string') return mask[kinds.get(key) ?? 'names'](value);
  if (Array.isArray(value)) return value.map((item) => maskedField(item, key, mask));
  return isRecord(value) ? maskedEntries(value, mask) : value;
}
