import type { Tool } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import { shorten } from '../../text/shorten.js';
import { signatureOf } from '../listing/signature.js';
import { type ArgumentFault, checkArguments } from './check-arguments.js';

const maxShown = 10;
const longestText = 1_500;
const longestSignature = 600;

/** How arguments violate their tool's input schema, as far as that can be found in a short time; undefined if nothing is found. */
export function violations(tool: Tool, args: JsonObject): string | undefined {
  const faults = faultsText(tool, args);
  if (faults === undefined) return undefined;
  const signature = `. Signature: ${signatureOf(tool, longestSignature)}`;
  const text = `The arguments do not match the input schema of tool '${shorten(tool.name, 100)}': ${faults}`;
  return `${shorten(text, longestText - signature.length)}${signature}`;
}

/** The faults alone: `missing: repo; issue_number: expected number, got "one"`. */
export function faultsText({ inputSchema }: Tool, args: JsonObject): string | undefined {
  const faults = checkArguments(inputSchema, args);
  if (faults.length === 0) return undefined;
  const missing = faults.flatMap(({ fault }) => ('missing' in fault ? [fault.missing] : []));
  const others = faults.flatMap((fault) => describe(fault));
  return some([...(missing.length > 0 ? [`missing: ${some(missing, ', ')}`] : []), ...others], '; ');
}

function describe({ place, fault }: ArgumentFault): string[] {
  if ('missing' in fault) return [];
  return [place === '' ? fault.is : `${place}: ${fault.is}`];
}

/** The first of them, each once. How many more there are is not known: not all are looked for. */
function some(texts: readonly string[], separator: string): string {
  const all = [...new Set(texts)];
  return [...all.slice(0, maxShown), ...(all.length > maxShown ? ['and more'] : [])].join(separator);
}
