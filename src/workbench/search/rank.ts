import type { Postings } from './postings.js';
import type { QueryTerm } from './query-terms.js';

export interface Ranked {
  readonly tool: number;
  readonly score: number;
}

/** Ranks tools by the terms of a query: at most `limit`, best first, equal ones in their own order. */
export type Ranker = (query: readonly QueryTerm[], isWanted: (tool: number) => boolean, limit: number) => Ranked[];

const synonymWeight = 0.55;
// What a tool gains whose whole name was asked for, in parts of its score.
const nameBonus = 1.5;
// A server with one good match is the right place: its other tools that match gain by it.
const neighbourBonus = 0.3;

/** The room for sums is made once: allocating it would take most of the time of a query. */
export function createRanker(postings: Postings, serverOf: Uint32Array): Ranker {
  const sums = createSums(postings, serverOf.length);
  const bestOfServer = new Float64Array(1 + serverOf.reduce((most, server) => Math.max(most, server), 0));

  return (query, isWanted, limit) => {
    const { scores, nameShares } = sums;
    const matching = sums.addUp(query);
    bestOfServer.fill(0);
    for (const tool of matching) {
      const score = (scores[tool] ?? 0) * (1 + nameBonus * Math.min(1, nameShares[tool] ?? 0));
      scores[tool] = score;
      const server = serverOf[tool] ?? 0;
      if (score > (bestOfServer[server] ?? 0)) bestOfServer[server] = score;
    }
    const top: Ranked[] = [];
    let least = 0;
    for (const tool of matching) {
      const score = (scores[tool] ?? 0) + neighbourBonus * (bestOfServer[serverOf[tool] ?? 0] ?? 0);
      if (score < least || !isWanted(tool)) continue;
      insert(top, { tool, score }, limit);
      if (top.length === limit) least = top.at(-1)?.score ?? 0;
    }
    return top;
  };
}

interface Sums {
  readonly scores: Float64Array;
  readonly nameShares: Float64Array;
  /** Fills both for a query; the tools with at least one of its terms. */
  addUp(query: readonly QueryTerm[]): Uint32Array;
}

function createSums(
  { starts, tools, scores: gains, nameShares: shareGains, rarity }: Postings,
  toolCount: number,
): Sums {
  const scores = new Float64Array(toolCount);
  const nameShares = new Float64Array(toolCount);
  const matching = new Uint32Array(toolCount);
  let matchingCount = 0;
  // A term counts once for a tool, by its best match, the term itself or a synonym: the best of this round so far.
  const roundOf = new Uint32Array(toolCount);
  const bestGain = new Float64Array(toolCount);
  const bestShare = new Float64Array(toolCount);

  function add(round: number, term: number, gainFactor: number, shareFactor: number): void {
    const end = starts[term + 1] ?? 0;
    for (let at = starts[term] ?? 0; at < end; at++) {
      const tool = tools[at] ?? 0;
      if (roundOf[tool] !== round) {
        if (roundOf[tool] === 0) matching[matchingCount++] = tool;
        roundOf[tool] = round;
        bestGain[tool] = 0;
        bestShare[tool] = 0;
      }
      const gain = gainFactor * (gains[at] ?? 0) - (bestGain[tool] ?? 0);
      if (gain > 0) {
        bestGain[tool] = (bestGain[tool] ?? 0) + gain;
        scores[tool] = (scores[tool] ?? 0) + gain;
      }
      const share = shareFactor * (shareGains[at] ?? 0) - (bestShare[tool] ?? 0);
      if (share > 0) {
        bestShare[tool] = (bestShare[tool] ?? 0) + share;
        nameShares[tool] = (nameShares[tool] ?? 0) + share;
      }
    }
  }

  const isIndexed = (term: number): boolean => (starts[term] ?? 0) < (starts[term + 1] ?? 0);

  return {
    scores,
    nameShares,
    addUp(query) {
      scores.fill(0);
      nameShares.fill(0);
      roundOf.fill(0);
      matchingCount = 0;
      let round = 0;
      for (const { term, weight, synonyms } of query) {
        round++;
        add(round, term, weight, 1);
        for (const synonym of synonyms) {
          // A rare synonym of a common word must not count for more than the word that was said.
          const factor = isIndexed(term) ? Math.min(1, (rarity[term] ?? 0) / (rarity[synonym] ?? 1)) : 1;
          add(round, synonym, weight * synonymWeight * factor, synonymWeight);
        }
      }
      return matching.subarray(0, matchingCount);
    },
  };
}

function comesBefore(one: Ranked, other: Ranked): boolean {
  return one.score > other.score || (one.score === other.score && one.tool < other.tool);
}

/** Keeps `top` sorted and no longer than `limit`. */
function insert(top: Ranked[], entry: Ranked, limit: number): void {
  let low = 0;
  let high = top.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = top[middle];
    if (other !== undefined && comesBefore(other, entry)) low = middle + 1;
    else high = middle;
  }
  top.splice(low, 0, entry);
  if (top.length > limit) top.pop();
}
