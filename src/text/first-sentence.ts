import { shortenAtWord } from './shorten.js';

const defaultLength = 160;
const abbreviations = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|St|Dr|Mr|Ms)\.$/i;

/** The first sentence of a description, on one line, cut at a word if it is longer than `maxChars`. */
export function firstSentence(text: string | undefined, maxChars: number = defaultLength): string {
  // Reads little more than is shown: descriptions may be whole manuals.
  const start = (text ?? '').trimStart().slice(0, maxChars * 4 + 100);
  const paragraph = (start.split(/\n\s*(?:\n|[-*#•]|\w+:\s*\n)/, 1)[0] ?? '').replace(/^[#>*\s]+/, '');
  const line = paragraph.replace(/\s+/g, ' ').trim();
  return shortenAtWord(sentenceOf(line), maxChars);
}

function sentenceOf(line: string): string {
  for (const { index, 0: end } of line.matchAll(/[.!?](?=\s)|[。！？]/g)) {
    const sentence = line.slice(0, index + end.length);
    if (!abbreviations.test(sentence)) return sentence;
  }
  return line;
}
