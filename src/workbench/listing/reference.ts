import { isRecord } from '../../jsonrpc/json.js';
import { longestReference } from '../../limits.js';

/** The steps of a JSON pointer in a fragment (`#/$defs/Node`); undefined for any other kind of reference, and for one that is too long. */
export function pointerSteps(reference: string): string[] | undefined {
  if (reference === '#') return [];
  if (!reference.startsWith('#/') || reference.length > longestReference) return undefined;
  try {
    return reference
      .slice(2)
      .split('/')
      .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    // A stray percent sign.
    return undefined;
  }
}

/** The target of a reference within a schema; undefined if it does not exist. */
export function resolveReference(root: unknown, reference: string): unknown {
  const steps = pointerSteps(reference);
  if (steps === undefined) return undefined;
  let found = root;
  for (const step of steps) {
    if (Array.isArray(found)) found = found[Number(step)];
    else if (isRecord(found) && Object.hasOwn(found, step)) found = found[step];
    else return undefined;
  }
  return found;
}
