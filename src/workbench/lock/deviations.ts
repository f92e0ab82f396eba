import { isApprovedTool } from '../../config/lock-file/locked-tool.js';
import type { Approved } from '../../config/lock-file/tool-lock.js';
import type { Tool } from '../../contract/types.js';

/** How what a server lists differs from what is approved. */
export interface Deviations {
  readonly changed: readonly Tool[];
  readonly added: readonly Tool[];
  /** The instructions, if they differ. */
  readonly instructions: string | undefined;
}

type Found = 'changed' | 'new' | undefined;

/** The last answer for each tool: the same listing is looked at several times. */
const answers = new WeakMap<Tool, { readonly approved: Approved; readonly found: Found }>();

export function differenceOf(tool: Tool, approved: Approved | undefined): Found {
  if (approved === undefined) return 'new';
  const known = answers.get(tool);
  if (known?.approved === approved) return known.found;
  const copies = approved.tools.get(tool.name);
  const isSame = copies?.some((one) => isApprovedTool(tool, one)) === true;
  const found = copies === undefined ? 'new' : isSame ? undefined : 'changed';
  answers.set(tool, { approved, found });
  return found;
}

export function isApprovedText(instructions: string | undefined, approved: Approved | undefined): boolean {
  return instructions === undefined || approved?.instructions.includes(instructions) === true;
}

export function deviationsOf(
  { tools, instructions }: { readonly tools: readonly Tool[]; readonly instructions: string | undefined },
  approved: Approved | undefined,
): Deviations {
  return {
    changed: tools.filter((tool) => differenceOf(tool, approved) === 'changed'),
    added: tools.filter((tool) => differenceOf(tool, approved) === 'new'),
    instructions: isApprovedText(instructions, approved) ? undefined : instructions,
  };
}
