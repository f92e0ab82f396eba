import type { Path } from '../place.js';
import type { ServerFileEntry } from '../schema/schema.js';

/** Where a server stands in the file, so that messages name the keys that the user wrote. */
export interface EntryPlace {
  readonly path: Path;
  /** Places inside the entry that have another name in our form, by that name. */
  readonly renamed: ReadonlyMap<string, Path>;
}

/** Of servers that are written in another form than ours. */
export type EntryPlaces = ReadonlyMap<ServerFileEntry, EntryPlace>;

/** That of a server in our own form. */
export function ownPlace(toolbox: string, server: string): EntryPlace {
  return { path: ['toolboxes', toolbox, 'mcpServers', server], renamed: new Map() };
}

export function keyOf(at: Path): string {
  return at.join('\0');
}

/** The place in the file of a place inside an entry in our own form. */
export function placeIn({ path, renamed }: EntryPlace, at: Path): Path {
  for (const length of [2, 1]) {
    const place = renamed.get(keyOf(at.slice(0, length)));
    if (place !== undefined) return [...path, ...place, ...at.slice(length)];
  }
  return [...path, ...at];
}
