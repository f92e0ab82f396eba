import { openDocument } from '../clients/documents/open-document.js';
import { type ConfigText, createFindServed } from '../clients/served-servers.js';
import { parseFile } from '../config/read/parse.js';
import type { Computer } from '../platform/computer.js';
import type { ServerSource } from './find-servers.js';
import { everyday, projectToolbox } from './group-servers.js';
import { type Existing, nothingYet } from './merge-servers.js';

/** A configuration that servers are added to. */
export interface ExistingServers extends Existing {
  /** The names of its toolboxes and their servers. */
  readonly toolboxes: ReadonlyMap<string, readonly string[]>;
  /** The toolbox that all servers have to go into, because the file has no toolboxes. */
  readonly only: string | undefined;
}

/** `wanted`: the toolbox that all servers are to go into. Throws for a configuration with faults. */
export function existingServers(
  config: ConfigText | undefined,
  wanted: string | undefined,
  computer: Computer,
): ExistingServers {
  if (config === undefined) return { ...nothingYet, toolboxes: new Map(), only: wanted };
  const { file } = parseFile(config.text, config.path);
  const toolboxes = new Map(Array.from(file.toolboxes, ([name, { mcpServers }]) => [name, [...mcpServers.keys()]]));
  const isFlat = !openDocument('json', config.text).keysAt([]).includes('toolboxes');
  const only = wanted ?? (isFlat ? [...toolboxes.keys()][0] : undefined);
  const finders = new Map<ServerSource, ReturnType<typeof createFindServed>>();
  return {
    toolboxes,
    only,
    find({ source, found }) {
      const find = finders.get(source) ?? createFindServed(config, source.client, source.file, computer, true);
      finders.set(source, find);
      return find(found);
    },
    isTaken(name, project) {
      const places =
        only !== undefined ? [only] : project === undefined ? [everyday, 'web', 'data'] : [projectToolbox(project)];
      return places.some((toolbox) => toolboxes.get(toolbox)?.includes(name) === true);
    },
  };
}
