import type { JsonObject } from '../../jsonrpc/json.js';

const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;
const longest = 200;

/** The trace id in the W3C trace context of a request; undefined if it has none, or a malformed one. */
export function traceIdOf(meta: JsonObject | undefined): string | undefined {
  const context = meta?.['traceparent'];
  if (typeof context !== 'string' || context.length > longest) return undefined;
  // Only later versions may have more than four fields.
  if (context.startsWith('00') && context.length !== 55) return undefined;
  return traceparent.exec(context)?.[1];
}
