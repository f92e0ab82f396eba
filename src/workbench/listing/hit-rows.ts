import { maxQueryAnswerTokens } from '../../limits.js';
import { tokensAtMost } from '../../text/estimate-tokens.js';
import { firstSentence } from '../../text/first-sentence.js';
import {
  charsOf,
  fits,
  jsonChars,
  type ListedTool,
  markingAsks,
  placeCells,
  placeColumns,
  type Room,
  type RowOptions,
  type ToolListing,
} from './listed-tool.js';
import { rowsNote, schemasNote } from './notes.js';
import { argumentsOf } from './signature.js';

export interface HitOptions extends Room, RowOptions {
  /** How many of the first hits have a signature. */
  readonly signatures?: number;
}

const usualSignatures = 3;
const longestSignature = 600;
const longestDescription = 160;
const shortDescription = 80;
// Of the rest of an answer, which is JSON.
const charsPerToken = 3;
// For an answer with a long list of servers that cannot be reached.
const leastTokensForRows = 300;

/**
 * The hits of a search, best first, as many as fit: an agent searches often, so its answers are small whatever the budget. The first few rows end with a signature; the others omit that cell, which
 * is shorter than an empty one.
 */
export function rowsFor(hits: readonly ListedTool[], options: HitOptions): ToolListing {
  const { budgetChars, overheadChars, signatures = usualSignatures } = options;
  if (hits.length === 0) return { tools: [], notes: [] };
  const place = markingAsks({ withToolbox: options.withToolbox }, hits);
  const columns = [...placeColumns(place), 'name', 'description', 'signature'];
  const notes = [rowsNote(true), schemasNote(hits)];
  // Space for this note is reserved even if nothing is left out.
  const leftOut = (count: number) => `${count} more tools match but do not fit. Use a more specific query.`;
  const frame = charsOf({ tools: [], columns, rows: [], notes: [...notes, leftOut(hits.length)] }, options);
  let chars = budgetChars - overheadChars - frame;
  let tokens = Math.max(leastTokensForRows, maxQueryAnswerTokens - (overheadChars + frame) / charsPerToken);
  const rows: string[][] = [];
  for (const [index, hit] of hits.entries()) {
    const candidates = rowsOf(hit, index < signatures, place).map((row) => withSize(row, options));
    const fitting = candidates.find((candidate) => candidate.chars <= chars && candidate.tokens <= tokens);
    if (fitting === undefined) break;
    rows.push(fitting.row);
    chars -= fitting.chars;
    tokens -= fitting.tokens;
  }
  if (rows.length === 0) return noneFits(hits, options);
  if (rows.length < hits.length) notes.push(leftOut(hits.length - rows.length));
  return { tools: [], columns, rows, notes };
}

/** The size of a row with the comma after it. */
function withSize(row: string[], room: Room) {
  return { row, chars: jsonChars(row, room) + 1, tokens: tokensAtMost(`${JSON.stringify(row)},`) };
}

function noneFits({ length }: readonly ListedTool[], room: Room): ToolListing {
  const listing = { tools: [], notes: [`${length} tools match, but none fits in this answer`] };
  return fits(listing, room) ? listing : { tools: [], notes: [] };
}

/** The preferred row, then a shorter one if that does not fit. */
function rowsOf(hit: ListedTool, signed: boolean, place: RowOptions): string[][] {
  const { name, description } = hit.tool;
  const short = [...placeCells(hit, place), name, firstSentence(description, shortDescription)];
  if (!signed) return [short];
  const long = [...placeCells(hit, place), name, firstSentence(description, longestDescription)];
  return [[...long, argumentsOf(hit.tool, longestSignature)], short];
}
