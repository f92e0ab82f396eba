import type { Tool } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { ToolResult } from '../../results/tool-result.js';

/** How the arguments violate the tool's schema: its own error may not say so. */
export async function explanationOf(tool: Tool, args: JsonObject): Promise<string | undefined> {
  // If this part cannot be loaded, the tool's own error is still returned.
  const part = await import('./violations.js').catch(() => undefined);
  return part?.violations(tool, args);
}

/** Adds it as a text block. */
export function withExplanation(result: ToolResult, text: string | undefined): ToolResult {
  if (text === undefined) return result;
  const { content } = result.value();
  return result.with({ content: [...(Array.isArray(content) ? content : []), { type: 'text', text }] });
}
