import type { Work } from '../../platform/slices.js';
import { fields } from './fields.js';
import type { ToolTerms } from './tool-terms.js';

/** The distinct terms of one tool with their weights. */
export interface WeightedTerms {
  readonly terms: Uint32Array;
  readonly weights: Float64Array;
}

/** Combines the occurrences of a term over all fields of a tool into one weight, by field and field length. */
export function* weighTerms(tools: readonly ToolTerms[], termCount: number): Work<WeightedTerms[]> {
  const averages = averageLengths(tools);
  // Zero between two tools.
  const sums = new Float64Array(termCount);
  const weighted: WeightedTerms[] = [];
  for (const tool of tools) {
    weighted.push(weighTool(tool, averages, sums));
    yield;
  }
  return weighted;
}

function weighTool({ occurrences, lengths }: ToolTerms, averages: Float64Array, sums: Float64Array): WeightedTerms {
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
}

function averageLengths(tools: readonly ToolTerms[]): Float64Array {
  const sums = new Float64Array(fields.length);
  for (const { lengths } of tools) lengths.forEach((length, field) => (sums[field] = (sums[field] ?? 0) + length));
  return sums.map((sum) => sum / Math.max(1, tools.length));
}
