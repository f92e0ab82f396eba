/** Since this revision there is no handshake: every request carries its sender's revision and capabilities. */
export const modernRevision = '2026-07-28';

export const latestLegacyRevision = '2025-11-25';

export const legacyRevisions: ReadonlySet<unknown> = new Set([
  latestLegacyRevision,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]);

const prefix = 'io.modelcontextprotocol/';

/** Keys of `_meta` that belong to one connection and are never forwarded to another. */
export const metaKeys = {
  protocolVersion: `${prefix}protocolVersion`,
  clientInfo: `${prefix}clientInfo`,
  clientCapabilities: `${prefix}clientCapabilities`,
  serverInfo: `${prefix}serverInfo`,
  subscriptionId: `${prefix}subscriptionId`,
} as const;

/** Keys of `_meta` that only the workbench itself writes. */
export const ownMetaPrefix = 'mcp-workbench/';

export function belongsToConnection(metaKey: string): boolean {
  return metaKey.startsWith(prefix);
}
