import { knownFormsIn } from './known-forms.js';
import { isFact, isSwitch, looksSecret, type NamedValue } from './names.js';
import {
  beginsLikePath,
  isHarmless,
  isPath,
  isPlainText,
  isPlainUrl,
  isRandomLetters,
  isUrl,
  looksRandom,
} from './plain.js';
import { secretsInUrl } from './url-secrets.js';

/**
 * - `named`: has the name of a secret, or the form of a token
 * - `placed`: comes from a place for secrets
 * - `likely`: mixes letters and digits as secrets do
 */
export type Certainty = 'named' | 'placed' | 'likely';

export interface FoundSecret {
  readonly value: string;
  readonly certainty: Certainty;
  /** The one that makes it a secret. */
  readonly name?: string;
}

const shortestNamed = 6;
const shortest = 8;
/** Of values in values, such as a URL in an assignment in a script. */
const deepest = 4;

/** The secrets in a value of a variable, header or parameter: the value itself, unless it is plainly none, and parts of it. */
export function secretsInValue(named: NamedValue): FoundSecret[] {
  return longEnough(inValue(named, deepest));
}

/** Whether a value is a secret because of its name. */
function isNamedSecret(name: string, value: string): boolean {
  return looksSecret(name) && !isFact(name, value);
}

/** Whether a value should not be in plain text where others read it: a secret by its name, or with a token or a password in it. */
export function isSecret(name: string, value: string): boolean {
  return isNamedSecret(name, value) || hasPassword(value) || knownFormsIn(value).length > 0;
}

/** Whether a value is a URL with a password. */
export function hasPassword(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^@\s]+@/i.test(value);
}

/**
 * The secrets in arguments, which are written in the file and have no origin that says what they are: those after the name of
 * a secret, and what has the form of one.
 */
export function secretsInArguments(args: readonly string[]): FoundSecret[] {
  const random = args.filter(isRandomLetters).map(found('likely'));
  return longEnough([...random, ...inWords(args, deepest)]);
}

/** The secrets in a program or a directory: what has the form of a token, or the name of a secret before it. */
export function secretsInPath(text: string): FoundSecret[] {
  return longEnough(inPath(text, deepest));
}

function inValue({ name, value }: NamedValue, depth: number): FoundSecret[] {
  if (isNamedSecret(name, value)) return [{ value, certainty: 'named', name }, ...inParts(value, depth)];
  const isPlain = isHarmless(value) || beginsLikePath(value) || isPlainText(value) || isPlainUrl(value);
  return [...(isPlain ? [] : [found('placed')(value)]), ...inParts(value, depth)];
}

function inWords(words: readonly string[], depth: number): FoundSecret[] {
  return words.flatMap((word, index) => {
    const following = words[index + 1] ?? '';
    const isFlag = /^--?[\w-]+$/.test(word) && !isSwitch(word) && !following.startsWith('-');
    const named = isFlag && isNamedSecret(word, following) ? inValue({ name: word, value: following }, depth) : [];
    // As curl has it.
    const [, password] = /^(?:-u|--user)$/.test(word) ? (/^[^:]*:([^]+)$/.exec(following) ?? []) : [];
    return [...named, ...(password === undefined ? [] : [found('named')(password)]), ...inParts(word, depth)];
  });
}

/** `--key=VALUE`, `Bearer VALUE`, `scheme://user:VALUE@host/?key=VALUE`: the value alone may appear elsewhere. */
function inParts(value: string, depth: number): FoundSecret[] {
  if (beginsLikePath(value)) return inPath(value, depth);
  const named = withName(value, depth);
  if (/\s/.test(value)) return [...named, ...inText(value, depth)];
  return isHarmless(value) || isPath(value) ? named : [...named, ...randomIn(value).map(found('likely'))];
}

function inPath(text: string, depth: number): FoundSecret[] {
  const inWordsOfIt = /\s/.test(text) ? inText(text, depth) : [];
  return [...withName(text, depth), ...inWordsOfIt.filter(({ certainty }) => certainty === 'named')];
}

/** Of a text, such as a script for a shell, its words are looked at one by one. Sentences in it, as in `echo "Token: none"`, have no names. */
function inText(text: string, depth: number): FoundSecret[] {
  if (depth === 0) return [];
  const words = (text.match(/(?:[^\s;|&()<>`'"]|"[^"]*"|'[^']*')+|[;|&]+/g) ?? [])
    .map((word) => word.replaceAll(/["']/g, ''))
    .filter((word) => /^[\w.-]+=/.test(word) || !/\s/.test(word) || !isPlainText(word));
  return inWords(words, depth - 1);
}

function randomIn(word: string): string[] {
  // Scheme and host of a URL are no secrets, and neither are the words in its path.
  if (secretsInUrl(word) !== undefined) return new URL(word).pathname.split('/').filter(looksRandom);
  return [word, ...word.split(/[=:@/?&#,;'"]+/)].filter(looksRandom);
}

/** The parts of a value that are tokens or have the name of a secret. */
function withName(value: string, depth: number): FoundSecret[] {
  const tokens = knownFormsIn(value).map(found('named'));
  return depth === 0 ? tokens : [...tokens, ...namedParts(value).flatMap((part) => inValue(part, depth - 1))];
}

/** Assignments, a token after its scheme, password and query of a URL. */
function namedParts(value: string): readonly NamedValue[] {
  if (isUrl(value)) return secretsInUrl(value) ?? unescapedPassword(value);
  const [, token] = /^(?:basic|bearer|token|apikey|api-key)\s+(\S+)$/i.exec(value) ?? [];
  if (token !== undefined) return [{ name: 'token', value: token }];
  const inJson = Array.from(value.matchAll(/"([\w.-]{1,64})"\s*:\s*"([^"]+)"/g), ([, name = '', text = '']) => ({
    name,
    value: text,
  })).filter(({ name }) => looksSecret(name));
  // `Server=a;Password=b`, `--api-key=a`, `Authorization: Bearer a`; whole first, because a value may contain the separators.
  const assigned = [...new Set([value, ...value.split(/[;&,\n]/)])].flatMap((assignment) => {
    const [, name = '', text = ''] = /^\s*([\w.-]+)\s*[=:]\s*([^]+)$/.exec(assignment) ?? [];
    if (looksSecret(name)) return [{ name, value: text.trim() }];
    return isUrl(text) ? (secretsInUrl(text) ?? unescapedPassword(text)) : [];
  });
  return [...inJson, ...assigned];
}

/** Of a URL that is read otherwise than it was meant: the password, and what it is taken for. */
function unescapedPassword(url: string): NamedValue[] {
  const [, password = ''] = /^[^:]+:\/\/[^/:@]*:(\S*)@/.exec(url) ?? [];
  return [password, ...password.split(/[/?#]/)].map((value) => ({ name: 'password', value }));
}

function found(certainty: Certainty): (value: string) => FoundSecret {
  return (value) => ({ value, certainty });
}

function longEnough(all: readonly FoundSecret[]): FoundSecret[] {
  return all.filter(({ value, certainty }) => value.length >= (certainty === 'named' ? shortestNamed : shortest));
}
