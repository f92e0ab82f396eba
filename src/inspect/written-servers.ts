import type { ServerNames } from '../config/lock-file/tool-lock.js';
import { cacheKeyOf } from '../config/resolve/entry-identity.js';
import type { ConfigFile, ServerFileEntry, ToolboxFileEntry } from '../config/schema/schema.js';

/** A configuration file as written: no variable is expanded, and no other file is read. */
export interface WrittenConfiguration {
  readonly path: string;
  /** The same, unless it was named by a relative path. */
  readonly namedFile?: string | undefined;
  readonly file: ConfigFile;
}

export interface WrittenServer extends ServerNames, Pick<ConfigFile, 'defaults'> {
  readonly entry: ServerFileEntry;
  readonly box: ToolboxFileEntry;
  /** Names the files about it in the cache. */
  readonly cacheKey: string;
}

/** The servers of a configuration, in its order; only those with the wanted names, if there are such. */
export function writtenServers(
  { path, file: { toolboxes, defaults } }: WrittenConfiguration,
  wanted: Partial<ServerNames> = {},
): WrittenServer[] {
  const isWanted = (name: string, one: string | undefined) => one === undefined || one === name;
  return [...toolboxes]
    .filter(([toolbox]) => isWanted(toolbox, wanted.toolbox))
    .flatMap(([toolbox, box]) =>
      [...box.mcpServers]
        .filter(([server]) => isWanted(server, wanted.server))
        .map(([server, entry]) => {
          const cacheKey = cacheKeyOf(path, { toolbox, name: server }, entry);
          return { toolbox, server, entry, box, defaults, cacheKey };
        }),
    );
}
