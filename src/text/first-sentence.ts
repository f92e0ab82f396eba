import { shortenAtWord } from './shorten.js';

const usualLength = 160;
const abbreviations = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|St|Dr|Mr|Ms)\.$/i;

/** The first sentence of a description, on one line, cut at a word if it is longer than `mostChars`. */
export function firstSentence(text: string | undefined, mostChars: number = usualLength): string {
  // Never much more than is shown is looked at: descriptions may be whole manuals.
  const start = (text ?? '').trimStart().slice(0, mostChars * 4 + 100);
  const paragraph = (start.split(/\n\s*(?:\n|[-*#•]|\w+:\s*\n)/, 1)[0] ?? '').replace(/^[#>*\s]+/, '');
  const line = paragraph.replace(/\s+/g, ' ').trim();
  return shortenAtWord(sentenceOf(line), mostChars);
}

function sentenceOf(line: string): string {
  for (const { index, 0: end } of line.matchAll(/[.!?](?=\s)|[。！？]/g)) {
    const sentence = line.slice(0, index + end.length);
    if (!abbreviations.test(sentence)) return sentence;
  }
  return line;
}
