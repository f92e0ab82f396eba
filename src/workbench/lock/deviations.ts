import type { Tool } from '../../contract/types.js';
import { textHash, toolHash } from '../ports/locked-tool.js';
import type { Approved } from '../ports/tool-lock.js';

/** How what a server lists differs from what is approved. */
export interface Deviations {
  readonly changed: readonly Tool[];
  readonly added: readonly Tool[];
  /** The instructions, if they differ. */
  readonly instructions: string | undefined;
}

export function differenceOf(tool: Tool, approved: Approved | undefined): 'changed' | 'new' | undefined {
  const digests = approved?.tools.get(tool.name);
  if (digests === undefined) return 'new';
  return digests.has(toolHash(tool)) ? undefined : 'changed';
}

export function deviationsOf(
  { tools, instructions }: { readonly tools: readonly Tool[]; readonly instructions: string | undefined },
  approved: Approved | undefined,
): Deviations {
  const isSame = instructions === undefined || approved?.instructions.has(textHash(instructions));
  return {
    changed: tools.filter((tool) => differenceOf(tool, approved) === 'changed'),
    added: tools.filter((tool) => differenceOf(tool, approved) === 'new'),
    instructions: isSame ? undefined : instructions,
  };
}
