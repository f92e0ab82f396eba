/**
 * Maps the forms of an English word to one stem: plural, -ed and -ing, then the endings that turn a verb into a noun or
 * an adjective (`generation`, `generator` and `generate`). Lighter than Porter's rules: tools are named in plain words,
 * and a stem that is too short merges unrelated words.
 */
export function stem(word: string): string {
  if (word.length < 4 || !plainLetters.test(word)) return word;
  return withoutFinalVowel(withoutDerivation(withoutInflection(withoutPlural(word))));
}

const plainLetters = /^[a-z]+$/;
const vowel = /[aeiouy]/;

// The longer ending first: `-ational` ends in `-al` as well.
const derivations: readonly (readonly [ending: string, replacement: string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['ement', ''],
  ['ment', ''],
  ['ness', ''],
  ['ally', 'al'],
  ['able', ''],
  ['ible', ''],
  ['ical', 'ic'],
  ['ance', ''],
  ['ence', ''],
  ['ity', ''],
  ['ive', ''],
  ['ion', ''],
  ['er', ''],
  ['or', ''],
  ['ly', ''],
  ['al', ''],
];
const shortestRoot = 4;
const shortestBeforeAte = 3; // create, locate, rotate

// Words that end in s but are not plurals.
const singular = new Set(['news', 'series', 'canvas', 'alias', 'atlas', 'bias', 'chaos', 'kubernetes', 'lens']);

// Words that end like a derivation but mean something else than the word they would become: reaction, react.
const notDerived = new Set(
  'animal author center container factor global header number objective performance portal poster reaction sentence signal'.split(
    ' ',
  ),
);

function withoutPlural(word: string): string {
  if (singular.has(word)) return word;
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutInflection(word: string): string {
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`;
  const root = /^(.{3,}?)(?:ed|ing)$/.exec(word)?.[1];
  if (root === undefined || !vowel.test(root) || root.endsWith('e')) return word;
  if (/(?:at|bl|iz)$/.test(root)) return `${root}e`;
  return /([^aeioulsz])\1$/.test(root) ? root.slice(0, -1) : root;
}

function withoutDerivation(word: string): string {
  const rule = derivations.find(([ending]) => word.endsWith(ending));
  if (rule === undefined || notDerived.has(word)) return word;
  const [ending, replacement] = rule;
  const root = word.slice(0, -ending.length);
  if (root.length < (replacement === 'ate' ? shortestBeforeAte : shortestRoot) || !vowel.test(root)) return word;
  return ending === 'ion' && !/[st]$/.test(root) ? word : root + replacement;
}

function withoutFinalVowel(word: string): string {
  if (word.length <= 4) return word;
  if (word.endsWith('e')) return word.slice(0, -1);
  return word.endsWith('y') ? `${word.slice(0, -1)}i` : word;
}
