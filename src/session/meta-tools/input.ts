import { WorkbenchError } from '../../contract/errors.js';
import type { OpenToolboxInput, UseToolInput } from '../../contract/types.js';
import { loadPart } from '../../platform/load-part.js';
import type { Callable } from './correction.js';
import type { Checked } from './input-check.js';

const loadCheck = () => loadPart(() => import('./input-check.js'));

/** Validates the input of `open_toolbox` with the schema. */
export async function parseOpen(input: unknown, callable: Callable): Promise<OpenToolboxInput> {
  return inputOrThrow(await (await loadCheck()).checkOpen(input, callable));
}

/** Validates the input of `use_tool` with the schema. */
export async function parseUse(input: unknown, callable: Callable): Promise<UseToolInput> {
  return inputOrThrow(await (await loadCheck()).checkUse(input, callable));
}

/** Reports all faults at once. */
function inputOrThrow<T>(checked: Checked<T>): T {
  if ('input' in checked) return checked.input;
  const text = `Invalid parameters: ${checked.faults.join('; ')}`;
  throw new WorkbenchError('INPUT_INVALID', text, { hint: checked.hint });
}
