import * as z from 'zod/mini';
import { splitReferences } from '../values/expand-env.js';
import { textChecks } from './checks.js';
import { faultOfReference } from './malformed-reference.js';
import { ownCheck } from './schema-checks.js';

export function documented<S extends z.ZodMiniType>(
  schema: S,
  description: string,
  extra: Record<string, unknown> = {},
): S {
  z.globalRegistry.add(schema, { description, ...extra });
  return schema;
}

export function optional<S extends z.ZodMiniType>(schema: S, description: string, extra?: Record<string, unknown>) {
  return documented(z.optional(schema), description, extra);
}

/** A string of a server entry: variables are expanded in it. */
export const text = z.string().check(
  ownCheck(textChecks.expandable, (value) => {
    const faults = splitReferences(value).flatMap((part) =>
      typeof part === 'object' && part.kind === 'malformed' ? [faultOfReference(part)] : [],
    );
    return value.includes('\0') ? [...faults, { what: 'Contains a NUL character.', remedy: 'Remove it.' }] : faults;
  }),
);
export const givenText = text.check(z.minLength(1));
