import { partsOf, type Reading, termFor, wordsOf } from './words.js';

/** Numbers for the terms of all texts, so that an index holds small arrays and no strings. */
export interface Lexicon {
  /** How many terms there are; their numbers are below that. */
  readonly size: () => number;
  /** The terms of a text in its order, with repetitions. New ones are taken in: for what is indexed. */
  readonly learn: (text: string, reading: Reading) => number[];
  /** The same for words of prose and terms that are known: for what is asked, so that questions do not fill the memory. */
  readonly look: (words: readonly string[]) => number[];
  /** The term of a word in lower case, if an indexed text has it in just this form. */
  readonly lookForForm: (word: string) => number | undefined;
}

const ignored = -1;
const mostForms = 100_000;

export function createLexicon(): Lexicon {
  const numbers = new Map<string, number>();
  // The same few thousand words come again and again: most of the time of an index would go into stemming them.
  const forms = new Map<string, number>();

  function learnPart(part: string): number {
    const form = part.toLowerCase();
    const known = forms.get(form);
    if (known !== undefined) return known;
    const number = numberFor(termFor(form));
    if (forms.size < mostForms) forms.set(form, number);
    return number;
  }

  function numberFor(term: string | undefined): number {
    if (term === undefined) return ignored;
    const number = numbers.get(term) ?? numbers.size;
    numbers.set(term, number);
    return number;
  }

  function lookForPart(part: string): number {
    const form = part.toLowerCase();
    const known = forms.get(form);
    if (known !== undefined) return known;
    const term = termFor(form);
    return (term === undefined ? undefined : numbers.get(term)) ?? ignored;
  }

  return {
    size: () => numbers.size,
    learn: (text, reading) => numbersOf(wordsOf(text), reading, learnPart),
    look: (words) => numbersOf(words, 'prose', lookForPart),
    lookForForm(word) {
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
