import type { ServerConfig, ToolboxConfig } from '../config/config.js';
import type { Tool } from '../contract/types.js';
import { loadPart } from '../platform/load-part.js';
import { createToolFilter } from './filters.js';
import type { KnownTools, ToolCache } from './ports/tool-cache.js';
import type { Hit, SearchSource, ToolSearch } from './search/tool-search.js';

/** The known tools of every server, from this run or an earlier one. No lookup starts a server. */
export interface Catalog {
  /** Stores the tools that a server has listed. */
  learn(server: ServerConfig, known: KnownTools): void;
  /** The known tools that pass the server's filters. */
  known(server: ServerConfig): Promise<KnownTools | undefined>;
  /** The servers with a known tool of this name. */
  whereIs(tool: string): Promise<readonly { toolbox: string; server: string }[]>;
  /** Forgets servers that are not in the configuration any more. */
  prune(): void;
  /** Ranks the known tools, of one toolbox or of all. */
  query(text: string, options: { readonly toolbox?: string; readonly limit: number }): Promise<readonly Hit[]>;
}

/** `toolboxes`: those of the configuration at the moment. */
export function createCatalog(toolboxes: () => Iterable<ToolboxConfig>, cache: ToolCache): Catalog {
  // By `cacheKey`, unfiltered: an edit of the filters does not lose them.
  const entries = new Map<string, Promise<KnownTools | undefined>>();
  // The search index compares them by identity.
  const views = new WeakMap<ServerConfig, { readonly of: KnownTools; readonly filtered: KnownTools }>();
  let search: Promise<ToolSearch> | undefined;

  async function known(server: ServerConfig): Promise<KnownTools | undefined> {
    const { cacheKey } = server;
    const entry = entries.get(cacheKey) ?? cache.get(server);
    entries.set(cacheKey, entry);
    const found = await entry;
    if (found !== undefined) return viewOf(server, found);
    // A disk that was too slow this time may not be the next time.
    if (entries.get(cacheKey) === entry) entries.delete(cacheKey);
    return undefined;
  }

  function viewOf(server: ServerConfig, found: KnownTools): KnownTools {
    const view = views.get(server);
    if (view?.of === found) return view.filtered;
    const made = { of: found, filtered: filtered(server, found) };
    views.set(server, made);
    return made.filtered;
  }

  async function sources(): Promise<SearchSource[]> {
    const servers = [...toolboxes()].flatMap((toolbox) =>
      [...toolbox.servers.values()].filter((server) => !server.disabled).map((server) => ({ toolbox, server })),
    );
    const found = await Promise.all(
      servers.map(async ({ toolbox, server }): Promise<SearchSource[]> => {
        const entry = await known(server);
        if (entry === undefined) return [];
        const { tools, instructions, about: description } = entry;
        const place = { toolbox: server.toolbox, server: server.name, toolboxDescription: toolbox.description };
        return [{ ...place, tools, description, instructions }];
      }),
    );
    return found.flat();
  }

  return {
    learn(server, listed) {
      cache.put(server, listed);
      entries.set(server.cacheKey, Promise.resolve(listed));
    },
    known,
    prune() {
      const current = new Set([...toolboxes()].flatMap(({ servers }) => Array.from(servers.values(), keyOf)));
      for (const key of entries.keys()) if (!current.has(key)) entries.delete(key);
    },
    async whereIs(name) {
      const found = (await sources()).filter(({ tools }) => tools.some((tool) => tool.name === name));
      return found.map(({ toolbox, server }) => ({ toolbox, server }));
    },
    async query(text, options) {
      search ??= loadPart(() => import('./search/tool-search.js')).then(({ createToolSearch }) => createToolSearch());
      const index = await search;
      index.update(await sources());
      await index.prepare();
      return index.query(text, options);
    },
  };
}

const keyOf = ({ cacheKey }: ServerConfig) => cacheKey;

function filtered({ toolFilters, excludedTools }: ServerConfig, known: KnownTools): KnownTools {
  return { ...known, tools: distinct(known.tools, createToolFilter(toolFilters, excludedTools)) };
}

/** The tools that pass, each name once: of two with the same name only the first can be called. */
export function distinct(tools: readonly Tool[], passes: (name: string) => boolean): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of tools) if (passes(tool.name) && !byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}
