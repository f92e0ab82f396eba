import { WorkbenchError } from '../errors.js';
import {
  type OpenToolboxInput,
  OpenToolboxInputSchema,
  type Schema,
  type UseToolInput,
  UseToolInputSchema,
} from '../types.js';
import { correctedUse } from './correction.js';

export const parseOpen = (input: unknown): OpenToolboxInput => parseInput(OpenToolboxInputSchema, input);
export const parseUse = (input: unknown): UseToolInput => parseInput(UseToolInputSchema, input);

/** Checks what the agent sent, and says every fault at once in the contract's words. */
function parseInput<T>(schema: Schema<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  throw new WorkbenchError('INPUT_INVALID', `Invalid parameters: ${faults.join('; ')}`, { hint: correctedUse(input) });
}
