import { createScanner, getLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { exampleFile } from '../files/example-file.js';
import type { Notice } from './notice.js';

interface Wording {
  readonly what: string;
  readonly remedy: string;
  /** The tree is still usable, so the rest of the file can be checked. */
  readonly mild?: boolean;
}

const wordings: Readonly<Record<string, Wording>> = {
  InvalidSymbol: {
    what: 'Not a JSON value.',
    remedy: 'Put strings and names in double quotes; only true, false and null have none.',
  },
  InvalidNumberFormat: { what: 'Malformed number.', remedy: 'Write digits only, e.g. 60000.' },
  PropertyNameExpected: {
    what: 'Expected a name.',
    remedy: 'Write a name in double quotes, or remove this.',
  },
  ValueExpected: {
    what: 'Expected a value.',
    remedy: 'Write a string in double quotes, a number, {…} or […].',
  },
  ColonExpected: { what: 'Missing colon.', remedy: 'Write a : between the name and its value.' },
  CommaExpected: { what: 'Missing comma.', remedy: 'Write a , before this.', mild: true },
  CloseBraceExpected: { what: 'Missing closing }.', remedy: 'Close every { with a }.' },
  CloseBracketExpected: { what: 'Missing closing ].', remedy: 'Close every [ with a ].' },
  EndOfFileExpected: {
    what: 'Unexpected text after the end of the object.',
    remedy: 'Remove everything after the last }.',
  },
  InvalidCommentToken: { what: 'Malformed comment.', remedy: 'Write // … or /* … */.' },
  UnexpectedEndOfComment: { what: 'Unclosed comment.', remedy: 'Close /* with */.' },
  UnexpectedEndOfString: { what: 'Unclosed string.', remedy: 'Close it with a double quote on the same line.' },
  UnexpectedEndOfNumber: { what: 'Incomplete number.', remedy: 'Write digits only, e.g. 60000.' },
  InvalidUnicode: { what: 'Malformed \\u escape.', remedy: 'Write \\u and four hexadecimal digits.', mild: true },
  InvalidEscapeCharacter: {
    what: 'Invalid escape: a backslash before this character has no meaning.',
    remedy: 'Write \\\\ for a backslash, or / in paths.',
    mild: true,
  },
  InvalidCharacter: {
    what: 'Control character in a string.',
    remedy: 'Write it as an escape, e.g. \\t or \\n.',
    mild: true,
  },
};
const unknownWording: Wording = { what: 'Not valid JSON.', remedy: 'Correct the syntax here.' };

export interface ParsedText {
  /** Undefined if the syntax is too broken for further checks. */
  readonly tree: Node | undefined;
  readonly faults: Notice[];
}

/** Reads JSON with comments and trailing commas. */
export function parseText(text: string): ParsedText {
  const errors: ParseError[] = [];
  const tree = parseTreeWithin(text, errors);
  if (tree === 'too deep') return failed({ what: 'Nested too deeply.', remedy: 'Remove brackets.' });
  const isBlank = errors.every(({ offset }) => offset >= text.length);
  if (tree === undefined && isBlank) return failed({ what: 'The file is empty.', remedy: exampleFile });
  const faults = withoutFollowUps(errors, text).map(({ error, offset }) => {
    const { what, remedy } = wordingOf(error);
    return { offset, path: placeOf(text, offset), what, remedy };
  });
  return { tree: errors.every(({ error }) => wordingOf(error).mild === true) ? tree : undefined, faults };
}

/** What can be read of a text, whatever is wrong with it. */
export function parseLeniently(text: string): { readonly tree: Node | undefined; readonly isBroken: boolean } {
  const errors: ParseError[] = [];
  const tree = parseTreeWithin(text.replace(/^\uFEFF/, ''), errors);
  return tree === 'too deep' ? { tree: undefined, isBroken: true } : { tree, isBroken: errors.length > 0 };
}

/** `SyntaxKind.EOF` of jsonc-parser, a const enum that cannot be imported one file at a time. */
const endOfFile = 17;
const isEnd = (kind: number) => kind === endOfFile;

/** Whether a text has more names, values and signs than a limit. */
export function hasMoreTokens(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  const scanner = createScanner(text, true);
  let count = 0;
  while (count <= limit && !isEnd(scanner.scan())) count++;
  return count > limit;
}

/** `SyntaxKind.ColonToken`, the last of the kinds for brackets, commas and colons. */
const lastSign = 6;

/** The names and values of a text, each with its kind; no brackets, commas, colons or comments. */
export function wordsIn(text: string): string[] {
  const scanner = createScanner(text.replace(/^\uFEFF/, ''), true);
  const words: string[] = [];
  for (let kind: number = scanner.scan(); !isEnd(kind); kind = scanner.scan())
    if (kind > lastSign) words.push(`${kind} ${scanner.getTokenValue()}`);
  return words;
}

/** If a comma or a colon is missing, the parser reports a value as a name. It may be a secret, so it is removed. */
function placeOf(text: string, offset: number): (string | number)[] {
  const path = getLocation(text, offset).path.filter((segment) => segment !== '');
  const last = path.at(-1);
  return typeof last === 'string' && !isName(last, text) ? path.slice(0, -1) : path;
}

function isName(segment: string, text: string): boolean {
  const written = JSON.stringify(segment);
  const colon = /\s*:/y;
  for (let at = text.indexOf(written); at !== -1; at = text.indexOf(written, at + 1)) {
    colon.lastIndex = at + written.length;
    if (colon.test(text)) return true;
  }
  return false;
}

function parseTreeWithin(text: string, errors: ParseError[]): Node | undefined | 'too deep' {
  try {
    return parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) return 'too deep';
    throw error;
  }
}

function failed({ what, remedy }: Wording): ParsedText {
  return { tree: undefined, faults: [{ offset: 0, path: [], what, remedy }] };
}

function wordingOf(code: ParseError['error']): Wording {
  return wordings[printParseErrorCode(code)] ?? unknownWording;
}

/** One mistake often causes several errors on its line; only the first one is useful. */
function withoutFollowUps(errors: readonly ParseError[], text: string): ParseError[] {
  const kept: ParseError[] = [];
  // The end of the line of the last one that was kept.
  let lineEnd = -1;
  for (const error of errors.toSorted((a, b) => a.offset - b.offset)) {
    if (error.offset <= lineEnd && wordingOf(error.error).mild !== true) continue;
    kept.push(error);
    if (kept.length === maxSyntaxFaults) break;
    if (error.offset > lineEnd) lineEnd = endOfLine(text, error.offset);
  }
  return kept;
}

function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

const maxSyntaxFaults = 20;
