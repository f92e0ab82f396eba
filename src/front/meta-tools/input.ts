import { WorkbenchError } from '../../contract/errors.js';
import type { OpenToolboxInput, UseToolInput } from '../../contract/types.js';
import { loadPart } from '../../platform/load-part.js';
import { correctedUse } from './correction.js';
import type { Checked } from './input-check.js';

const loadCheck = () => loadPart(() => import('./input-check.js'));

/** Checks what the agent sent to `open_toolbox`, if it is not plainly right. */
export async function parseOpen(input: unknown): Promise<OpenToolboxInput> {
  return settled((await loadCheck()).checkOpen(input), input);
}

/** Checks what the agent sent to `use_tool`, if it is not plainly right. */
export async function parseUse(input: unknown): Promise<UseToolInput> {
  return settled((await loadCheck()).checkUse(input), input);
}

/** All faults are told at once. */
function settled<T>(checked: Checked<T>, input: unknown): T {
  if ('input' in checked) return checked.input;
  const text = `Invalid parameters: ${checked.faults.join('; ')}`;
  throw new WorkbenchError('INPUT_INVALID', text, { hint: correctedUse(input) });
}
