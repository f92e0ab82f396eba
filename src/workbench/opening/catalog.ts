import type { ServerConfig, ToolboxConfig } from '../../config/config.js';
import type { ServerLock } from '../../config/lock-file/tool-lock.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { loadPart } from '../../platform/load-part.js';
import { nearest } from '../../text/nearest.js';
import type { ListedTool } from '../listing/listed-tool.js';
import type { KnownTools, ToolCache } from '../ports/tool-cache.js';
import { type JudgedTools, offeredTools, withholdsText } from '../rules/judge-tools.js';
import { hasRules } from '../rules/verdict.js';
import type { SearchSource, ToolSearch } from '../search/tool-search.js';

/** Known tools that pass the filters and rules of their server. */
export interface OfferedTools extends KnownTools, JudgedTools {
  /** Whether there are instructions that are not what was approved; they are not among these then. */
  readonly withholdsInstructions: boolean;
}

/** Compares known tools with what was approved. */
export type CheckKnown = (server: ServerConfig, known: KnownTools) => Promise<ServerLock | undefined>;

interface View {
  readonly of: KnownTools;
  readonly lock: ServerLock | undefined;
  readonly revision: number | undefined;
  readonly offered: OfferedTools;
}

/** The known tools of every server, from this run or an earlier one. No lookup starts a server. */
export interface Catalog {
  /** Stores the tools that a server has listed. */
  learn(server: ServerConfig, known: KnownTools): void;
  /** The known tools that pass the server's filters and rules. */
  known(server: ServerConfig): Promise<OfferedTools | undefined>;
  /** The servers with a known tool of this name. */
  whereIs(tool: string): Promise<readonly { toolbox: string; server: string }[]>;
  /** The known tools of this name; if there are none, those with the nearest names. */
  named(tool: string): Promise<readonly ToolIdentifier[]>;
  /** Forgets servers that are not in the configuration any more. */
  prune(): void;
  /** Ranks the known tools, of one toolbox or of all. */
  query(text: string, options: { readonly toolbox?: string; readonly limit: number }): Promise<readonly ListedTool[]>;
}

/** `toolboxes`: those of the configuration at the moment. */
export function createCatalog(
  toolboxes: () => Iterable<ToolboxConfig>,
  cache: ToolCache,
  check: CheckKnown = () => Promise.resolve(undefined),
): Catalog {
  // By `cacheKey`, as listed: an edit of filters and rules does not lose them.
  const entries = new Map<string, Promise<KnownTools | undefined>>();
  // The search index compares them by identity.
  const views = new WeakMap<ServerConfig, View>();
  let search: Promise<ToolSearch> | undefined;

  async function known(server: ServerConfig): Promise<OfferedTools | undefined> {
    const { cacheKey } = server;
    const entry = entries.get(cacheKey) ?? cache.get(server);
    entries.set(cacheKey, entry);
    const found = await entry;
    if (found !== undefined) return viewOf(server, found);
    // A disk that was too slow this time may not be the next time.
    if (entries.get(cacheKey) === entry) entries.delete(cacheKey);
    return undefined;
  }

  async function viewOf(server: ServerConfig, found: KnownTools): Promise<OfferedTools> {
    const view = views.get(server);
    if (view?.of === found && view.lock?.revision === view.revision) return view.offered;
    const lock = await check(server, found);
    const revision = lock?.revision;
    const withholdsInstructions = withholdsText(found.instructions, server, lock);
    const instructions = withholdsInstructions ? undefined : found.instructions;
    const judged = offeredTools(found.tools, server, lock);
    const made = { of: found, lock, revision, offered: { ...found, ...judged, instructions, withholdsInstructions } };
    views.set(server, made);
    return made.offered;
  }

  /** Marks tools that ask. */
  async function marked(hits: readonly ListedTool[]): Promise<readonly ListedTool[]> {
    const boxes = new Map(Array.from(toolboxes(), (box) => [box.name, box]));
    return Promise.all(
      hits.map(async (hit) => {
        const server = boxes.get(hit.toolbox)?.servers.get(hit.server);
        const asks = server !== undefined && hasRules(server) ? (await known(server))?.asks : undefined;
        return asks?.has(hit.tool.name) ? { ...hit, asks: true } : hit;
      }),
    );
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
    async named(wanted) {
      const all = (await sources()).flatMap(({ toolbox, server, tools }) =>
        tools.map(({ name }) => ({ toolbox, server, name })),
      );
      const exact = all.filter(({ name }) => name === wanted);
      if (exact.length > 0) return exact;
      const names = nearest(wanted, new Set(all.map(({ name }) => name)));
      return names.flatMap((near) => all.filter(({ name }) => name === near));
    },
    async query(text, options) {
      search ??= loadPart(() => import('../search/tool-search.js')).then(({ createToolSearch }) => createToolSearch());
      const index = await search;
      index.update(await sources());
      await index.prepare();
      return marked(index.query(text, options));
    },
  };
}

const keyOf = ({ cacheKey }: ServerConfig) => cacheKey;
