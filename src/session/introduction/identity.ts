import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { metaKeys } from '../../jsonrpc/revisions.js';
import { version } from '../../platform/version.js';

/** The `serverInfo` that clients receive. */
export const serverInfo = { name: 'mcp-workbench', title: 'MCP Workbench', version };
/** An edit of the configuration changes the descriptions of our tools. */
export const capabilities = { tools: { listChanged: true }, resources: {} };

/** A configuration edit changes the lists, so clients may cache them for only a minute. */
export const cachedForMinute = { ttlMs: 60_000, cacheScope: 'private' } as const;
export const notCached = { ttlMs: 0, cacheScope: 'private' } as const;

/** A result with the fields that every result has since 2026-07-28. */
export function completed(result: JsonObject): JsonObject {
  return { resultType: 'complete', ...result, _meta: withServerInfo(result['_meta']) };
}

/** `_meta` of a result with our `serverInfo`. */
export function withServerInfo(meta: unknown): JsonObject {
  return { ...(isRecord(meta) && meta), [metaKeys.serverInfo]: serverInfo };
}
