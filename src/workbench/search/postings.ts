import { fields } from './fields.js';
import type { ToolTerms } from './tool-terms.js';

/** For every term the tools it occurs in, and what it is worth in each. */
export interface Postings {
  /** The tools of term t are at starts[t] up to starts[t + 1]. */
  readonly starts: Uint32Array;
  readonly tools: Uint32Array;
  /** What the term adds to the tool's score. */
  readonly scores: Float32Array;
  /** Which share of the tool's name the term is: 1 if the name says nothing else. */
  readonly nameShares: Float32Array;
  /** How rare the term is. */
  readonly rarity: Float64Array;
}

// How fast repeating a term stops to matter: within the usual range of 1.2 to 2.
const saturation = 1.5;

/** BM25F over all tools. Cheap beside reading the texts, so it is done again whenever a server changes. */
export function createPostings(tools: readonly ToolTerms[], termCount: number): Postings {
  const weighted = weighAll(tools, termCount);
  const starts = new Uint32Array(termCount + 1);
  for (const { terms } of weighted) for (const term of terms) starts[term + 1] = (starts[term + 1] ?? 0) + 1;
  const rarity = new Float64Array(termCount);
  for (let term = 0; term < termCount; term++) {
    const count = starts[term + 1] ?? 0;
    rarity[term] = Math.log(1 + (tools.length - count + 0.5) / (count + 0.5));
    starts[term + 1] = count + (starts[term] ?? 0);
  }

  const size = starts[termCount] ?? 0;
  const postings = {
    starts,
    tools: new Uint32Array(size),
    scores: new Float32Array(size),
    nameShares: new Float32Array(size),
    rarity,
  };
  const next = starts.slice();
  weighted.forEach(({ terms, weights }, tool) => {
    const names = tools[tool]?.nameTerms ?? new Uint32Array();
    const nameRarity = names.reduce((sum, term) => sum + (rarity[term] ?? 0), 0);
    for (let index = 0; index < terms.length; index++) {
      const term = terms[index] ?? 0;
      const weight = weights[index] ?? 0;
      const rare = rarity[term] ?? 0;
      const at = next[term] ?? 0;
      next[term] = at + 1;
      postings.tools[at] = tool;
      postings.scores[at] = (rare * weight * (saturation + 1)) / (saturation + weight);
      postings.nameShares[at] = names.includes(term) ? rare / nameRarity : 0;
    }
  });
  return postings;
}

interface WeightedTerms {
  readonly terms: Uint32Array;
  readonly weights: Float64Array;
}

/** The occurrences of each term in all fields as one number: by field, and by how long that field is here. */
function weighAll(tools: readonly ToolTerms[], termCount: number): WeightedTerms[] {
  const averages = averageLengths(tools);
  const sums = new Float64Array(termCount);
  return tools.map(({ occurrences, lengths }) => {
    const factors = fields.map(({ weight, lengthDiscount }, field) => {
      const relative = (lengths[field] ?? 0) / (averages[field] || 1);
      return weight / (1 - lengthDiscount + lengthDiscount * relative);
    });
    const found: number[] = [];
    for (const triples of occurrences) {
      for (let at = 0; at < triples.length; at += 3) {
        const term = triples[at] ?? 0;
        if (sums[term] === 0) found.push(term);
        sums[term] = (sums[term] ?? 0) + (factors[triples[at + 1] ?? 0] ?? 0) * (triples[at + 2] ?? 0);
      }
    }
    const terms = Uint32Array.from(found);
    const weights = Float64Array.from(found, (term) => sums[term] ?? 0);
    for (const term of found) sums[term] = 0;
    return { terms, weights };
  });
}

function averageLengths(tools: readonly ToolTerms[]): Float64Array {
  const sums = new Float64Array(fields.length);
  for (const { lengths } of tools) lengths.forEach((length, field) => (sums[field] = (sums[field] ?? 0) + length));
  return sums.map((sum) => sum / Math.max(1, tools.length));
}
