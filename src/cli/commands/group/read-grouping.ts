import path from 'node:path';
import { openDocument } from '../../../clients/documents/open-document.js';
import type { ToolboxFileEntry } from '../../../config/schema/schema.js';
import type { Tool } from '../../../contract/types.js';
import type { FixedToolbox, GroupedServer, Grouping } from '../../../setup/grouping/propose-groups.js';
import { writtenEntry } from '../../../setup/own-entry.js';
import type { Configured } from '../../frame/configured.js';

/** A server and what is known about it. */
export interface LearnedServer {
  readonly toolbox: string;
  readonly server: string;
  /** Undefined if they are not known. */
  readonly tools: readonly Tool[] | undefined;
  readonly says: string | undefined;
}

/** Which toolboxes are grouped: the named one, or all without a description. */
export function isGrouped(name: string, { description }: ToolboxFileEntry, wanted: string | undefined): boolean {
  return wanted === undefined ? description === undefined : name === wanted;
}

/** What of a configuration can be grouped. `text`: that of the file. */
export function readGrouping(
  { file, path: configFile, toolboxes }: Configured,
  text: string,
  wanted: string | undefined,
  learned: readonly LearnedServer[],
): Grouping {
  const isFlat = !openDocument('json', text).keysAt([]).includes('toolboxes');
  const isStrict = (box: ToolboxFileEntry) =>
    [...box.mcpServers.values()].some(({ lock }) => (lock ?? file.defaults?.lock) === 'strict');
  const movable: GroupedServer[] = [];
  const fixed: FixedToolbox[] = [];
  const taken = new Set<string>();
  for (const [toolbox, box] of toolboxes) {
    if (!isGrouped(toolbox, box, wanted)) {
      taken.add(toolbox);
      continue;
    }
    const servers = serversOf(toolbox, box, path.dirname(configFile), learned);
    const project = projectOf(toolbox, box);
    // Elsewhere a server would lose these variables, or what was approved of it.
    const isFixed = isFlat || box.envFile !== undefined || isStrict(box) || project !== undefined;
    if (isFixed) fixed.push({ toolbox, project, servers });
    else movable.push(...servers);
  }
  return { movable, fixed, taken };
}

function serversOf(
  toolbox: string,
  { mcpServers }: ToolboxFileEntry,
  base: string,
  learned: readonly LearnedServer[],
): GroupedServer[] {
  return Array.from(mcpServers, ([server, entry]) => {
    const known = learned.find((one) => one.toolbox === toolbox && one.server === server);
    const tools = known?.tools?.map(({ name }) => name) ?? [];
    return { toolbox, server, entry: writtenEntry(entry, base, undefined), tools, says: known?.says };
  });
}

/** `init` gives the servers of a project a toolbox of its name, and its directory. */
function projectOf(toolbox: string, { mcpServers }: ToolboxFileEntry): string | undefined {
  const directories = new Set(Array.from(mcpServers.values(), ({ cwd }) => cwd));
  const [directory] = directories;
  const isProject = directories.size === 1 && directory !== undefined && path.basename(directory) === toolbox;
  return isProject ? toolbox : undefined;
}
