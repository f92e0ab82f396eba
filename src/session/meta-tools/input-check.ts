import {
  type OpenToolboxInput,
  OpenToolboxInputSchema,
  type Schema,
  type UseToolInput,
  UseToolInputSchema,
} from '../../contract/types.js';

/** The parsed input, or every fault in the contract's wording. */
export type Checked<T> = { readonly input: T } | { readonly faults: readonly string[] };

export const checkOpen = (input: unknown): Checked<OpenToolboxInput> => check(OpenToolboxInputSchema, input);
export const checkUse = (input: unknown): Checked<UseToolInput> => check(UseToolInputSchema, input);

function check<T>(schema: Schema<T>, input: unknown): Checked<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { input: parsed.data };
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  );
  return { faults };
}
