import type { Work } from '../../platform/slices.js';
import type { ToolTerms } from './tool-terms.js';
import { type WeightedTerms, weighTerms } from './weigh-terms.js';

/** For every term the tools it occurs in, and its value in each. */
export interface TermList {
  /** The tools of term t are at starts[t] up to starts[t + 1]. */
  readonly starts: Uint32Array;
  readonly tools: Uint32Array;
  readonly values: Float32Array;
}

export interface Postings {
  /** The contribution of a term to a tool's score. */
  readonly scores: TermList;
  /** The share of a tool's name that a term makes up: 1 if it is the whole name. */
  readonly nameShares: TermList;
  /** How rare each term is. */
  readonly rarity: Float64Array;
}

// BM25's k1: how quickly repetitions of a term stop counting; usually 1.2 to 2.
const saturation = 1.5;

// Between two interruptions; a loop over this many takes well below a millisecond.
const termsPerStep = 16_384;

/** BM25F over all tools. Cheap compared to reading the texts, so it is recomputed whenever a server changes. */
export function* createPostings(tools: readonly ToolTerms[], termCount: number): Work<Postings> {
  const weighted = yield* weighTerms(tools, termCount);
  const rarity = yield* rarities(weighted, termCount);
  const rarityOf = (term: number): number => rarity[term] ?? 0;
  const scores = ({ terms, weights }: WeightedTerms) => ({
    terms,
    values: weights.map((weight, at) => (rarityOf(terms[at] ?? 0) * weight * (saturation + 1)) / (saturation + weight)),
  });
  const nameShares = ({ nameTerms: terms }: ToolTerms) => {
    const whole = terms.reduce((sum, term) => sum + rarityOf(term), 0);
    return { terms, values: Float64Array.from(terms, (term) => rarityOf(term) / whole) };
  };
  return {
    scores: yield* byTerm(weighted, scores, termCount),
    nameShares: yield* byTerm(tools, nameShares, termCount),
    rarity,
  };
}

function* rarities(weighted: readonly WeightedTerms[], termCount: number): Work<Float64Array> {
  const counts = new Uint32Array(termCount);
  for (const { terms } of weighted) {
    terms.forEach((term) => (counts[term] = (counts[term] ?? 0) + 1));
    yield;
  }
  const rarity = new Float64Array(termCount);
  for (let term = 0; term < termCount; term++) {
    const count = counts[term] ?? 0;
    rarity[term] = Math.log(1 + (weighted.length - count + 0.5) / (count + 0.5));
    if (term % termsPerStep === 0) yield;
  }
  return rarity;
}

interface ToolValues {
  readonly terms: Uint32Array;
  readonly values: Float64Array;
}

/** Turns terms by tool into tools by term. */
function* byTerm<T>(tools: readonly T[], valuesOf: (tool: T) => ToolValues, termCount: number): Work<TermList> {
  const starts = new Uint32Array(termCount + 1);
  const entries: ToolValues[] = [];
  for (const tool of tools) {
    const entry = valuesOf(tool);
    entry.terms.forEach((term) => (starts[term + 1] = (starts[term + 1] ?? 0) + 1));
    entries.push(entry);
    yield;
  }
  for (let term = 0; term < termCount; term++) {
    starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
    if (term % termsPerStep === 0) yield;
  }
  const size = starts[termCount] ?? 0;
  const list = { starts, tools: new Uint32Array(size), values: new Float32Array(size) };
  const next = starts.slice();
  for (const [tool, { terms, values }] of entries.entries()) {
    for (let index = 0; index < terms.length; index++) {
      const term = terms[index] ?? 0;
      const at = next[term] ?? 0;
      next[term] = at + 1;
      list.tools[at] = tool;
      list.values[at] = values[index] ?? 0;
    }
    yield;
  }
  return list;
}
