import {
  type OpenToolboxInput,
  OpenToolboxInputSchema,
  type Schema,
  type UseToolInput,
  UseToolInputSchema,
} from '../../contract/types.js';
import { loadPart } from '../../platform/load-part.js';
import { isSelectFault } from '../../results/select/fault.js';
import { type Callable, correctedOpen, correctedPlace, correctedUse } from './correction.js';

/** The parsed input, or every fault in the contract's wording, and the call that was probably meant. */
export type Checked<T> =
  | { readonly input: T }
  | { readonly faults: readonly string[]; readonly hint: string | undefined };

export async function checkOpen(input: unknown, { toolboxes }: Callable): Promise<Checked<OpenToolboxInput>> {
  return check(OpenToolboxInputSchema, input, async () => correctedUse(input) ?? correctedOpen(input, toolboxes));
}

export async function checkUse(input: unknown, callable: Callable): Promise<Checked<UseToolInput>> {
  const correct = async (faults: readonly string[]) =>
    // The call is right; a correction would leave out what was wanted of its result.
    faults.every((fault) => /^result[.:]|^arguments: not with result/.test(fault))
      ? undefined
      : (correctedUse(input) ?? correctedPlace(input, callable));
  const checked = await check(UseToolInputSchema, input, correct);
  const select = 'input' in checked ? checked.input.result?.select : undefined;
  if (select === undefined) return checked;
  // Before the tool is called: it may take effect.
  const fault = await faultIn(select);
  return fault === undefined ? checked : { faults: [`result.select: ${fault}`], hint: undefined };
}

async function faultIn(select: string): Promise<string | undefined> {
  const { parseExpression } = await loadPart(() => import('../../results/select/parse.js'));
  try {
    parseExpression(select);
    return undefined;
  } catch (error) {
    if (!isSelectFault(error)) throw error;
    return error.message;
  }
}

async function check<T>(
  schema: Schema<T>,
  input: unknown,
  correct: (faults: readonly string[]) => Promise<string | undefined>,
): Promise<Checked<T>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { input: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  return { faults, hint: await correct(faults) };
}
