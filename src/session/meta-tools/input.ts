import { WorkbenchError } from '../../contract/errors.js';
import type { OpenToolboxInput, UseToolInput } from '../../contract/types.js';
import { loadPart } from '../../platform/load-part.js';
import { correctedUse } from './correction.js';
import type { Checked } from './input-check.js';

const loadCheck = () => loadPart(() => import('./input-check.js'));

/** Validates the input of `open_toolbox` with the schema. */
export async function parseOpen(input: unknown): Promise<OpenToolboxInput> {
  return inputOrThrow((await loadCheck()).checkOpen(input), input);
}

/** Validates the input of `use_tool` with the schema. */
export async function parseUse(input: unknown): Promise<UseToolInput> {
  return inputOrThrow((await loadCheck()).checkUse(input), input);
}

/** Reports all faults at once. */
function inputOrThrow<T>(checked: Checked<T>, input: unknown): T {
  if ('input' in checked) return checked.input;
  const text = `Invalid parameters: ${checked.faults.join('; ')}`;
  throw new WorkbenchError('INPUT_INVALID', text, { hint: correctedUse(input) });
}
