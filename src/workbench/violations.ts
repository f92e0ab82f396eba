import type { Tool } from '../contract/types.js';
import { shorten } from '../text/shorten.js';
import { type ArgumentFault, checkArguments } from './check-arguments.js';
import { signatureOf } from './listing/signature.js';

const maxShown = 10;
const longestText = 1_500;
const longestSignature = 600;

/** How arguments violate their tool's input schema, as far as that can be found in a short time; undefined if nothing is found. */
export function violations(tool: Tool, args: Readonly<Record<string, unknown>>): string | undefined {
  const lines = new Set(checkArguments(tool.inputSchema, args).map(describe));
  if (lines.size === 0) return undefined;
  const shown = [...lines].slice(0, maxShown);
  const more = lines.size > maxShown ? `; and ${lines.size - maxShown} more` : '';
  const signature = `. Signature: ${signatureOf(tool, longestSignature)}`;
  const text = `The arguments do not match the input schema of tool '${shorten(tool.name, 100)}': ${shown.join('; ')}${more}`;
  return `${shorten(text, longestText - signature.length)}${signature}`;
}

function describe({ place, error }: ArgumentFault): string {
  return place === '' ? error : `${place}: ${error}`;
}
