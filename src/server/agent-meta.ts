import { isRecord } from '../json.js';
import { belongsToConnection } from '../revisions.js';

const nothing = {};

/** Everything but what belongs to this connection: trace context and vendors' keys go down to the server. */
export function metaToPass(meta: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(meta)) return nothing;
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => key !== 'progressToken' && !belongsToConnection(key)),
  );
}
