import type { Lexicon } from './lexicon.js';
import { synonymGroups } from './vocabulary.js';
import { hasTwoReadings, wordsOf } from './words.js';

/** One term of a query with its weight and synonyms. */
export interface QueryTerm {
  readonly term: number;
  readonly weight: number;
  readonly synonyms: readonly number[];
}

/** For words joined or split otherwise than in the query. */
const otherSpellingWeight = 0.5;

/** Turns the text of one step of a query into distinct terms. */
export function createQueryReader(lexicon: Lexicon): (text: string) => QueryTerm[] {
  const synonyms = synonymsByTerm(lexicon);
  return (text) => {
    const words = wordsOf(withoutPlaces(text));
    const counts = new Map<number, number>();
    for (const term of lexicon.lookUp(words, 'prose')) counts.set(term, (counts.get(term) ?? 0) + 1);
    // A repeated word counts more, but not in proportion.
    const weights = new Map(Array.from(counts, ([term, count]) => [term, Math.sqrt(count)]));
    const joined = compounds(words).map(lexicon.lookUpForm);
    const split = lexicon.lookUp(words.filter(hasTwoReadings), 'name');
    for (const term of [...split, ...joined]) {
      if (term !== undefined && !weights.has(term)) weights.set(term, otherSpellingWeight);
    }
    return Array.from(weights, ([term, weight]) => ({
      term,
      weight,
      // A synonym that is itself in the query counts as its own term.
      synonyms: (synonyms.get(term) ?? []).filter((other) => !weights.has(other)),
    }));
  };
}

/** Reduces paths to their file type and URLs to their host: the rest does not help to choose a tool. */
function withoutPlaces(text: string): string {
  if (!/[/\\]/.test(text)) return text;
  return text
    .replace(/https?:\/\/(?:www\.)?([^\s/:?#'")\]]+)[^\s'")\]]*/gi, (_, host: string) => ` url ${site(host)} `)
    .replace(/(?<![\w/])(?:[A-Za-z]:\\|~?\/|\.\.?\/)[^\s,;:'"`)\]]+/g, (path) => {
      const extension = /\.([A-Za-z0-9]{1,5})[.?!]*$/.exec(path)?.[1];
      return extension === undefined ? ' directory ' : ` file ${extension} `;
    });
}

function site(host: string): string {
  return host.replace(/\.[a-z]+$/i, '').replaceAll('.', ' ');
}

/** Adjacent words joined, as other texts may spell them: `file system`, `filesystem`. */
function compounds(words: readonly string[]): string[] {
  return words.slice(1).map((word, index) => `${words[index]}${word}`.toLowerCase());
}

function synonymsByTerm(lexicon: Lexicon): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const group of synonymGroups) {
    const terms = [...new Set(lexicon.learn(group, 'prose'))];
    for (const term of terms) {
      const others = terms.filter((other) => other !== term);
      found.set(term, [...new Set([...(found.get(term) ?? []), ...others])]);
    }
  }
  return found;
}
