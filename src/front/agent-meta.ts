import { isRecord } from '../jsonrpc/json.js';
import { belongsToConnection } from '../jsonrpc/revisions.js';

/** Everything but what belongs to this connection: trace context and vendors' keys go down to the server. */
export function metaToPass(meta: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(meta)) return undefined;
  const passing = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !belongsToConnection(key));
  return passing.length === 0 ? undefined : Object.fromEntries(passing);
}
