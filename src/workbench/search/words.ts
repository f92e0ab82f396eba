import { stem } from './stem.js';
import { ignoredWords } from './vocabulary.js';

/** How a text is split: names at every change of case, prose not (`GitHub` is one word). */
export type Reading = 'name' | 'prose';

// Scripts without spaces are split into pairs of characters; so is Korean, which attaches particles to its words.
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー';
const anyWord = /[\p{L}\p{M}\p{N}]+/gu;
const holdsUnspaced = new RegExp(`[${unspaced}]`, 'u');
const runsOfOneKind = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu');
const asciiWord = /[A-Za-z0-9]+/g;
// oxlint-disable-next-line no-control-regex
const asciiOnly = /^[\u0000-\u007f]*$/;
const lowerCase = /^[a-z]+$/;
const brand = /^\p{Lu}\p{Ll}+(?:\p{Lu}\p{Ll}+)+$/u;
const partOfWord = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}|\p{N}+/gu;
const longestWord = 40;

/** The words of a text: runs of letters and digits, without accents. */
export function wordsOf(text: string): readonly string[] {
  if (asciiOnly.test(text)) return text.match(asciiWord) ?? [];
  const words = withoutAccents(text).match(anyWord) ?? [];
  return words.flatMap((word) => (holdsUnspaced.test(word) ? (word.match(runsOfOneKind) ?? []) : word));
}

/** The parts of one of `wordsOf`. */
export function partsOf(word: string, reading: Reading): readonly string[] {
  if (lowerCase.test(word)) return [word];
  if (holdsUnspaced.test(word)) return pairs(word);
  if (reading === 'prose' && brand.test(word)) return [word];
  const parts = word.match(partOfWord) ?? [];
  // Users search `web3` as one word.
  return parts.length > 1 && /\p{N}/u.test(word) ? [word, ...parts] : parts;
}

/** Whether it is one word as prose and several as a name: `GitHub`, `ListParticipant`. */
export function hasTwoReadings(word: string): boolean {
  return !lowerCase.test(word) && brand.test(word);
}

/** The index term for one of `partsOf`, given in lower case; undefined for words that do not describe a tool. */
export function termFor(word: string): string | undefined {
  // A short number alone is a quantity.
  if (ignoredWords.has(word) || /^(?:[a-z]|\d{1,2})$/.test(word)) return undefined;
  const term = stem(word.slice(0, longestWord));
  return ignoredWords.has(term) ? undefined : term;
}

/** The letters and digits of a name, the same in every case style; the name itself if it has none. */
export function lettersOf(name: string): string {
  const letters = (asciiOnly.test(name) ? name.replace(/[^A-Za-z0-9]+/g, '') : wordsOf(name).join('')).toLowerCase();
  return letters === '' ? name.trim() : letters;
}

function pairs(text: string): readonly string[] {
  const characters = Array.from(text);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

function withoutAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
