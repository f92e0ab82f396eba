import { partsOf, type Reading, termFor, wordsOf } from './words.js';

/** Assigns numbers to terms, so that an index holds small arrays instead of strings. */
export interface Lexicon {
  /** The number of terms; all term numbers are smaller. */
  readonly size: () => number;
  /** The terms of an indexed text in order, with repetitions. New terms are added. */
  readonly learn: (text: string, reading: Reading) => number[];
  /** The known terms of a query's words. Adds none, so that queries do not grow the lexicon. */
  readonly lookUp: (words: readonly string[], reading: Reading) => number[];
  /** The term of a lower-case word, if an indexed text contains exactly this form. */
  readonly lookUpForm: (word: string) => number | undefined;
}

const ignored = -1;
const maxForms = 100_000;

export function createLexicon(): Lexicon {
  const numbers = new Map<string, number>();
  // Caches stemming: texts repeat the same few thousand words, and stemming them would dominate indexing.
  const forms = new Map<string, number>();

  function learnPart(part: string): number {
    const form = part.toLowerCase();
    const known = forms.get(form);
    if (known !== undefined) return known;
    const number = numberFor(termFor(form));
    if (forms.size < maxForms) forms.set(form, number);
    return number;
  }

  function numberFor(term: string | undefined): number {
    if (term === undefined) return ignored;
    const number = numbers.get(term) ?? numbers.size;
    numbers.set(term, number);
    return number;
  }

  function lookUpPart(part: string): number {
    const form = part.toLowerCase();
    const known = forms.get(form);
    if (known !== undefined) return known;
    const term = termFor(form);
    return (term === undefined ? undefined : numbers.get(term)) ?? ignored;
  }

  return {
    size: () => numbers.size,
    learn: (text, reading) => numbersOf(wordsOf(text), reading, learnPart),
    lookUp: (words, reading) => numbersOf(words, reading, lookUpPart),
    lookUpForm(word) {
      const number = forms.get(word);
      return number === ignored ? undefined : number;
    },
  };
}

function numbersOf(words: readonly string[], reading: Reading, numberOf: (part: string) => number): number[] {
  const found: number[] = [];
  for (const word of words) {
    for (const part of partsOf(word, reading)) {
      const number = numberOf(part);
      if (number !== ignored) found.push(number);
    }
  }
  return found;
}
