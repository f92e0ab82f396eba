import { partsOf, type Reading, termFor, wordsOf } from './words.js';

/** Numbers for the terms of all texts, so that an index holds small arrays and no strings. */
export interface Lexicon {
  /** How many terms there are; their numbers are below that. */
  readonly size: () => number;
  /** The terms of a text in its order, with repetitions. New ones are taken in: for what is indexed. */
  readonly learn: (text: string, reading: Reading) => number[];
  /** The same for terms that are known: for what is asked, so that questions do not fill the memory. */
  readonly look: (text: string) => number[];
}

const mostWordsKept = 50_000;

export function createLexicon(): Lexicon {
  const numbers = new Map<string, number>();
  // The same few thousand words come again and again: most of the time of an index would go into stemming them.
  const known = new Map<string, number>();

  function learnPart(part: string): number {
    const before = known.get(part);
    if (before !== undefined) return before;
    const term = termFor(part);
    let number = term === undefined ? ignored : numbers.get(term);
    if (number === undefined && term !== undefined) {
      number = numbers.size;
      numbers.set(term, number);
    }
    if (known.size >= mostWordsKept) known.clear();
    known.set(part, number ?? ignored);
    return number ?? ignored;
  }

  function lookForPart(part: string): number {
    const before = known.get(part);
    if (before !== undefined) return before;
    const term = termFor(part);
    return (term === undefined ? undefined : numbers.get(term)) ?? ignored;
  }

  return {
    size: () => numbers.size,
    learn: (text, reading) => numbersOf(text, reading, learnPart),
    look: (text) => numbersOf(text, 'prose', lookForPart),
  };
}

const ignored = -1;

function numbersOf(text: string, reading: Reading, numberOf: (part: string) => number): number[] {
  const found: number[] = [];
  for (const word of wordsOf(text)) {
    for (const part of partsOf(word, reading)) {
      const number = numberOf(part);
      if (number !== ignored) found.push(number);
    }
  }
  return found;
}
