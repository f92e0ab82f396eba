import type { Tool } from '../contract/types.js';
import { estimateTokens } from '../text/estimate-tokens.js';

/** The tokens that a model reads if a client gives it this tool directly: name, description and input schema. */
export function toolTokens({ name, description, inputSchema }: Tool): number {
  return estimateTokens(JSON.stringify({ name, description, inputSchema }));
}
