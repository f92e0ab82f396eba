import type { ToolTerms } from './tool-terms.js';
import { weighTerms } from './weigh-terms.js';

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

/** BM25F over all tools. Cheap compared to reading the texts, so it is recomputed whenever a server changes. */
export function createPostings(tools: readonly ToolTerms[], termCount: number): Postings {
  const weighted = weighTerms(tools, termCount);
  const counts = new Uint32Array(termCount);
  for (const { terms } of weighted) terms.forEach((term) => (counts[term] = (counts[term] ?? 0) + 1));
  const rarity = Float64Array.from(counts, (count) => Math.log(1 + (tools.length - count + 0.5) / (count + 0.5)));
  const rarityOf = (term: number): number => rarity[term] ?? 0;
  const scores = weighted.map(({ terms, weights }) => ({
    terms,
    values: weights.map((weight, at) => (rarityOf(terms[at] ?? 0) * weight * (saturation + 1)) / (saturation + weight)),
  }));
  const nameShares = tools.map(({ nameTerms: terms }) => {
    const whole = terms.reduce((sum, term) => sum + rarityOf(term), 0);
    return { terms, values: Float64Array.from(terms, (term) => rarityOf(term) / whole) };
  });
  return { scores: byTerm(scores, termCount), nameShares: byTerm(nameShares, termCount), rarity };
}

/** Turns terms by tool into tools by term. */
function byTerm(
  entries: readonly { readonly terms: Uint32Array; readonly values: Float64Array }[],
  termCount: number,
): TermList {
  const starts = new Uint32Array(termCount + 1);
  for (const { terms } of entries) terms.forEach((term) => (starts[term + 1] = (starts[term + 1] ?? 0) + 1));
  for (let term = 0; term < termCount; term++) starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
  const size = starts[termCount] ?? 0;
  const list = { starts, tools: new Uint32Array(size), values: new Float32Array(size) };
  const next = starts.slice();
  entries.forEach(({ terms, values }, tool) => {
    for (let index = 0; index < terms.length; index++) {
      const term = terms[index] ?? 0;
      const at = next[term] ?? 0;
      next[term] = at + 1;
      list.tools[at] = tool;
      list.values[at] = values[index] ?? 0;
    }
  });
  return list;
}
