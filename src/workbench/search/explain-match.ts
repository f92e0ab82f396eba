import type { Tool } from '../../contract/types.js';
import { maxIndexedChars } from '../../limits.js';
import { type SearchSource, serverFields, toolFields } from './fields.js';
import { createLexicon, type Lexicon } from './lexicon.js';
import { stepsOf } from './steps.js';
import { synonymGroups } from './vocabulary.js';
import { hasTwoReadings, wordsOf } from './words.js';

/** A word of a query that a tool was found by. */
export interface Match {
  readonly word: string;
  /** The text that it occurs in; of several, the one that counts most. */
  readonly in: MatchedText;
  /** The synonym that occurs there in its place. */
  readonly as?: string;
}

export type MatchedText = 'name' | 'server' | 'description' | 'parameters' | 'toolbox';

/** The fields of the index, by weight. */
const order: readonly (readonly [field: number, text: MatchedText])[] = [
  [0, 'name'],
  [1, 'server'],
  [3, 'description'],
  [2, 'server'],
  [4, 'parameters'],
  [5, 'parameters'],
  [6, 'toolbox'],
];

/** Says why tools match a query, for people: in the order of its words, each once. Words that occur nowhere are left out. */
export function createMatchExplainer(query: string): (source: SearchSource, tool: Tool) => readonly Match[] {
  const lexicon = createLexicon();
  const words = [...new Set(stepsOf(query).flatMap(wordsOf))];
  const spellings = words.map((word) => ({ word, synonyms: synonymsOf(word, lexicon) }));
  return (source, tool) => {
    const fields = [serverFields(source, lexicon), toolFields(tool, lexicon, maxIndexedChars)];
    const texts = order.map(([field, text]) => ({
      text,
      terms: new Set(fields.flatMap((terms) => terms[field] ?? [])),
    }));
    const placeOf = (terms: readonly number[]) => texts.find((one) => terms.some((term) => one.terms.has(term)))?.text;
    return spellings.flatMap(({ word, synonyms }): Match[] => {
      const place = placeOf(termsOf(word, lexicon));
      if (place !== undefined) return [{ word, in: place }];
      const found = synonyms.flatMap((as) => ({ as, in: placeOf(termsOf(as, lexicon)) }));
      const [best] = texts.flatMap(({ text }) => found.find((one) => one.in === text) ?? []);
      return best?.in === undefined ? [] : [{ word, in: best.in, as: best.as }];
    });
  };
}

function termsOf(word: string, { lookUp }: Lexicon): readonly number[] {
  return [...lookUp([word], 'prose'), ...(hasTwoReadings(word) ? lookUp([word], 'name') : [])];
}

function synonymsOf(word: string, lexicon: Lexicon): readonly string[] {
  const own = new Set(lexicon.learn(word, 'prose'));
  const groups = synonymGroups.map((group) => group.split(' '));
  const isOwn = (other: string) => lexicon.learn(other, 'prose').some((term) => own.has(term));
  return groups.filter((group) => group.some(isOwn)).flatMap((group) => group.filter((other) => !isOwn(other)));
}
