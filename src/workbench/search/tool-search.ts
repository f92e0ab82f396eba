import type { Tool } from '../../contract/types.js';
import { runAtOnce, runInSlices, type Work } from '../../platform/slices.js';
import type { SearchSource } from './fields.js';
import { createLexicon, type Lexicon } from './lexicon.js';
import { createNameFinder, type NameFinder } from './names.js';
import { createPostings } from './postings.js';
import { createQueryReader, type QueryTerm } from './query-terms.js';
import { createRanker, type Ranker } from './rank.js';
import { interleave, stepsOf } from './steps.js';
import { type ToolTerms, termReader } from './tool-terms.js';

export type { SearchSource } from './fields.js';

export interface Hit {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: Tool;
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
  /**
   * Best first, ties in configuration order. Empty if no word of the text occurs anywhere. Steps of the text, separated by `;`,
   * are ranked one by one, and take turns.
   */
  query(text: string, options?: SearchOptions): Hit[];
}

interface ReadSource {
  readonly source: SearchSource;
  readonly tools: readonly ToolTerms[];
}

interface Index {
  readonly rank: Ranker;
  readonly findNames: NameFinder;
  /** The tools in index order. */
  readonly hits: readonly Hit[];
}

const defaultLimit = 20;

/** Full-text search over the known tools of all servers. Texts are indexed at the first query, not at `update`. */
export function createToolSearch(): ToolSearch {
  const lexicon = createLexicon();
  let readQuery: ReturnType<typeof createQueryReader> | undefined;
  let wanted: readonly SearchSource[] = [];
  let read: readonly ReadSource[] = [];
  let index: Index | undefined;
  // Shared by concurrent queries.
  let preparation: { readonly of: readonly SearchSource[]; readonly index: Promise<Index> } | undefined;

  function* readSource(source: SearchSource): Work<ReadSource> {
    const known = read.find((other) => isSame(other.source, source));
    if (known !== undefined) return known;
    const tools = yield* readTools(source, lexicon);
    read = [...read, { source, tools }];
    return { source, tools };
  }

  function* build(sources: readonly SearchSource[]): Work<Index> {
    const all: ReadSource[] = [];
    for (const source of sources) all.push(yield* readSource(source));
    read = all;
    const terms = all.flatMap(({ tools }) => tools);
    const serverOf = Uint32Array.from(all.flatMap(({ tools }, server) => tools.map(() => server)));
    const hits = sources.flatMap(({ toolbox, server, tools }) => tools.map((tool) => ({ toolbox, server, tool })));
    return {
      rank: createRanker(yield* createPostings(terms, lexicon.size()), serverOf),
      findNames: yield* createNameFinder(hits),
      hits,
    };
  }

  return {
    update(sources) {
      if (sources.length === wanted.length && sources.every((source, at) => isSame(source, wanted[at]))) return;
      wanted = [...sources];
      index = undefined;
    },
    async prepare() {
      while (index === undefined) {
        const sources = wanted;
        if (preparation?.of !== sources) preparation = { of: sources, index: runInSlices(build(sources)) };
        const built = await preparation.index;
        // An update may have replaced them.
        if (sources === wanted) index = built;
      }
    },
    query(text, { toolbox, limit = defaultLimit } = {}) {
      const readStep = (readQuery ??= createQueryReader(lexicon));
      const { rank, findNames, hits } = (index ??= runAtOnce(build(wanted)));
      const isWanted = (tool: number): boolean => toolbox === undefined || hits[tool]?.toolbox === toolbox;
      const steps = stepsOf(text).map((step) => {
        const terms = readStep(step);
        const named = findNames(step).flatMap((tools) => rankAll(rank, terms, tools.filter(isWanted)));
        return [...named, ...rank(terms, isWanted, limit)];
      });
      return interleave(steps, limit).flatMap((tool) => hits[tool] ?? []);
    },
  };
}

function* readTools(source: SearchSource, lexicon: Lexicon): Work<ToolTerms[]> {
  const readTool = termReader(source, lexicon);
  const tools: ToolTerms[] = [];
  for (const tool of source.tools) {
    tools.push(readTool(tool));
    yield;
  }
  return tools;
}

/** All of these tools: matches first, best first, then the others. */
function rankAll(rank: Ranker, terms: readonly QueryTerm[], tools: readonly number[]): readonly number[] {
  const all = new Set(tools);
  return all.size < 2 ? tools : [...new Set([...rank(terms, (tool) => all.has(tool), all.size), ...all])];
}

function isSame(one: SearchSource, other: SearchSource | undefined): boolean {
  return (
    one.tools === other?.tools &&
    one.toolbox === other.toolbox &&
    one.server === other.server &&
    one.description === other.description &&
    one.instructions === other.instructions &&
    one.toolboxDescription === other.toolboxDescription
  );
}
