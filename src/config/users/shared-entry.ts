import type { ConfigFile, ServerFileEntry, ServerFileSettings } from '../schema/schema.js';

/** The keys of an entry that make a server one session's or one person's, although it is for everyone. */
export function contradictions(
  entry: ServerFileEntry,
  defaults: ServerFileSettings,
): readonly ('perSession' | 'roots' | 'oauth')[] {
  if (entry.forEveryone !== true) return [];
  const { oauth } = entry;
  const isPersonal = oauth !== undefined && (oauth.grant ?? 'authorization_code') === 'authorization_code';
  const ofSession = (['perSession', 'roots'] as const).filter((key) => entry[key] ?? defaults[key] ?? false);
  return isPersonal ? [...ofSession, 'oauth'] : ofSession;
}

export function hasContradictions({ toolboxes, defaults = {} }: ConfigFile): boolean {
  for (const { mcpServers } of toolboxes.values())
    for (const entry of mcpServers.values()) if (contradictions(entry, defaults).length > 0) return true;
  return false;
}
