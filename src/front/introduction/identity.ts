import { isRecord } from '../../jsonrpc/json.js';
import { metaKeys } from '../../jsonrpc/revisions.js';
import { version } from '../../platform/version.js';

type Params = Readonly<Record<string, unknown>>;

/** How the workbench identifies itself to clients. */
export const serverInfo = { name: 'mcp-workbench', title: 'MCP Workbench', version };
export const capabilities = { tools: {}, resources: {} };

/** A configuration edit changes what is listed, so clients may keep it for a minute only. */
export const keptForMinute = { ttlMs: 60_000, cacheScope: 'private' } as const;
export const notKept = { ttlMs: 0, cacheScope: 'private' } as const;

/** A result with the fields that every result carries since 2026-07-28. */
export function completed(result: Params): Params {
  return { resultType: 'complete', ...result, _meta: signed(result['_meta']) };
}

/** `_meta` of a result with our identity in it. */
export function signed(meta: unknown): Params {
  return { ...(isRecord(meta) && meta), [metaKeys.serverInfo]: serverInfo };
}
