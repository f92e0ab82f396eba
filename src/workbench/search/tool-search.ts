import type { Tool } from '../../contract/types.js';
import { mapInSlices } from '../../platform/slices.js';
import type { SearchSource } from './fields.js';
import { createLexicon } from './lexicon.js';
import { createPostings } from './postings.js';
import { createQueryReader } from './query-terms.js';
import { createRanker, type Ranker } from './rank.js';
import { type ToolTerms, termReader } from './tool-terms.js';

export type { SearchSource } from './fields.js';

export interface Hit {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: Tool;
  readonly score: number;
}

export interface SearchOptions {
  /** Only tools of this toolbox. Rarity is still computed over all tools. */
  readonly toolbox?: string;
  readonly limit?: number;
}

export interface ToolSearch {
  /** Replaces the searchable servers, in configuration order. Only changed servers are indexed again. */
  update(sources: readonly SearchSource[]): void;
  /** Indexes the texts while others are served. Without it, the next query does so. */
  prepare(): Promise<void>;
  /** Best first, ties in configuration order. Empty if no word of the text occurs anywhere. */
  query(text: string, options?: SearchOptions): Hit[];
}

interface ReadSource {
  readonly source: SearchSource;
  readonly tools: readonly ToolTerms[];
}

interface Index {
  readonly rank: Ranker;
  /** The source of each tool, in index order. */
  readonly entries: readonly { readonly source: SearchSource; readonly tool: Tool }[];
}

const defaultLimit = 20;

/** Full-text search over the known tools of all servers. Texts are indexed at the first query, not at `update`. */
export function createToolSearch(): ToolSearch {
  const lexicon = createLexicon();
  let readQuery: ReturnType<typeof createQueryReader> | undefined;
  let wanted: readonly SearchSource[] = [];
  let read: readonly ReadSource[] = [];
  let index: Index | undefined;

  function build(): Index {
    const before = read;
    read = wanted.map(
      (source) =>
        before.find((known) => isSame(known.source, source)) ?? {
          source,
          tools: source.tools.map(termReader(source, lexicon)),
        },
    );
    const tools = read.flatMap((known) => known.tools);
    const serverOf = Uint32Array.from(read.flatMap((known, server) => known.tools.map(() => server)));
    return {
      rank: createRanker(createPostings(tools, lexicon.size()), serverOf),
      entries: wanted.flatMap((source) => source.tools.map((tool) => ({ source, tool }))),
    };
  }

  return {
    update(sources) {
      if (sources.length === wanted.length && sources.every((source, at) => isSame(source, wanted[at]))) return;
      wanted = [...sources];
      index = undefined;
    },
    async prepare() {
      for (const source of index === undefined ? wanted : []) {
        if (read.some((known) => isSame(known.source, source))) continue;
        const tools = await mapInSlices(source.tools, termReader(source, lexicon));
        read = [...read, { source, tools }];
      }
    },
    query(text, { toolbox, limit = defaultLimit } = {}) {
      readQuery ??= createQueryReader(lexicon);
      index ??= build();
      const { rank, entries } = index;
      const isWanted = (tool: number): boolean => toolbox === undefined || entries[tool]?.source.toolbox === toolbox;
      return rank(readQuery(text), isWanted, limit).flatMap(({ tool, score }) => {
        const entry = entries[tool];
        if (entry === undefined) return [];
        return [{ toolbox: entry.source.toolbox, server: entry.source.server, tool: entry.tool, score }];
      });
    },
  };
}

function isSame(one: SearchSource, other: SearchSource | undefined): boolean {
  return (
    one.tools === other?.tools &&
    one.toolbox === other.toolbox &&
    one.server === other.server &&
    one.description === other.description &&
    one.toolboxDescription === other.toolboxDescription
  );
}
