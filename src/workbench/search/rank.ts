import type { Postings, TermList } from './postings.js';
import type { QueryTerm } from './query-terms.js';

interface Ranked {
  readonly tool: number;
  readonly score: number;
}

/** Ranks tools by the terms of a query: at most `limit`, best first, ties in index order. */
export type Ranker = (query: readonly QueryTerm[], isWanted: (tool: number) => boolean, limit: number) => number[];

const synonymWeight = 0.55;
// The gain, relative to its score, of a tool whose whole name is in the query.
const nameBonus = 1.5;
// A server with one good match is likely the right one, so its other matching tools gain.
const neighbourBonus = 0.3;

/** Buffers are allocated once: allocation would dominate the time of a query. */
export function createRanker({ scores, nameShares, rarity }: Postings, serverOf: Uint32Array): Ranker {
  const score = createSum(scores, serverOf.length);
  const nameShare = createSum(nameShares, serverOf.length);
  const bestOfServer = new Float64Array(1 + serverOf.reduce((most, server) => Math.max(most, server), 0));
  const isIndexed = (term: number): boolean => (scores.starts[term] ?? 0) < (scores.starts[term + 1] ?? 0);

  function addUp(query: readonly QueryTerm[]): void {
    score.clear();
    nameShare.clear();
    query.forEach(({ term, weight, synonyms }, index) => {
      score.add(index + 1, term, weight);
      nameShare.add(index + 1, term, 1);
      for (const synonym of synonyms) {
        // A rare synonym must not count more than the word in the query.
        const factor = isIndexed(term) ? Math.min(1, (rarity[term] ?? 0) / (rarity[synonym] ?? 1)) : 1;
        score.add(index + 1, synonym, weight * synonymWeight * factor);
        nameShare.add(index + 1, synonym, synonymWeight);
      }
    });
  }

  return (query, isWanted, limit) => {
    addUp(query);
    bestOfServer.fill(0);
    const { totals, matching } = score;
    const count = score.count();
    // Counted loops here and below: an iterator over a typed array takes several times as long.
    for (let at = 0; at < count; at++) {
      const tool = matching[at] ?? 0;
      const total = (totals[tool] ?? 0) * (1 + nameBonus * Math.min(1, nameShare.totals[tool] ?? 0));
      totals[tool] = total;
      const server = serverOf[tool] ?? 0;
      if (total > (bestOfServer[server] ?? 0)) bestOfServer[server] = total;
    }
    const top: Ranked[] = [];
    let least = 0;
    for (let at = 0; at < count; at++) {
      const tool = matching[at] ?? 0;
      const total = (totals[tool] ?? 0) + neighbourBonus * (bestOfServer[serverOf[tool] ?? 0] ?? 0);
      if (total < least || !isWanted(tool)) continue;
      insert(top, { tool, score: total }, limit);
      if (top.length === limit) least = top.at(-1)?.score ?? 0;
    }
    return top.map(({ tool }) => tool);
  };
}

interface Sum {
  readonly totals: Float64Array;
  /** The matching tools are the first `count` entries. */
  readonly matching: Uint32Array;
  count(): number;
  clear(): void;
  /** Adds the value of a term. Within one round, only the best value counts for a tool. */
  add(round: number, term: number, factor: number): void;
}

function createSum({ starts, tools, values }: TermList, toolCount: number): Sum {
  const totals = new Float64Array(toolCount);
  const bestOfRound = new Float64Array(toolCount);
  const roundOf = new Uint32Array(toolCount);
  const matching = new Uint32Array(toolCount);
  let count = 0;
  return {
    totals,
    matching,
    count: () => count,
    clear() {
      totals.fill(0);
      roundOf.fill(0);
      count = 0;
    },
    add(round, term, factor) {
      const end = starts[term + 1] ?? 0;
      for (let at = starts[term] ?? 0; at < end; at++) {
        const tool = tools[at] ?? 0;
        const value = factor * (values[at] ?? 0);
        if (roundOf[tool] !== round) {
          if (roundOf[tool] === 0) matching[count++] = tool;
          roundOf[tool] = round;
          bestOfRound[tool] = value;
          totals[tool] = (totals[tool] ?? 0) + value;
        } else if (value > (bestOfRound[tool] ?? 0)) {
          totals[tool] = (totals[tool] ?? 0) + value - (bestOfRound[tool] ?? 0);
          bestOfRound[tool] = value;
        }
      }
    },
  };
}

function ranksBefore(one: Ranked, other: Ranked): boolean {
  return one.score > other.score || (one.score === other.score && one.tool < other.tool);
}

/** Keeps `top` sorted and no longer than `limit`. */
function insert(top: Ranked[], entry: Ranked, limit: number): void {
  let low = 0;
  let high = top.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = top[middle];
    if (other !== undefined && ranksBefore(other, entry)) low = middle + 1;
    else high = middle;
  }
  top.splice(low, 0, entry);
  if (top.length > limit) top.pop();
}
