import { getLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { exampleFile } from './example-file.js';
import type { Notice } from './notice.js';

interface Wording {
  readonly what: string;
  readonly remedy: string;
  /** The tree behind it is still sound, so the rest of the file can be checked. */
  readonly mild?: boolean;
}

const wordings: Readonly<Record<string, Wording>> = {
  InvalidSymbol: {
    what: 'A word that JSON does not know.',
    remedy: 'Put texts and names in double quotes; only true, false and null stand without.',
  },
  InvalidNumberFormat: { what: 'A malformed number.', remedy: 'Write it with digits, e.g. 60000.' },
  PropertyNameExpected: {
    what: 'A name is expected here.',
    remedy: 'Write a name in double quotes, or remove what stands here.',
  },
  ValueExpected: {
    what: 'A value is expected here.',
    remedy: 'Write a value: a text in double quotes, a number, {…} or […].',
  },
  ColonExpected: { what: 'A colon is missing.', remedy: 'Write a : between the name and its value.' },
  CommaExpected: { what: 'A comma is missing.', remedy: 'Write a , before this.', mild: true },
  CloseBraceExpected: { what: 'A closing } is missing.', remedy: 'Close every { with a }.' },
  CloseBracketExpected: { what: 'A closing ] is missing.', remedy: 'Close every [ with a ].' },
  EndOfFileExpected: { what: 'The file goes on after its end.', remedy: 'Remove what follows the last }.' },
  InvalidCommentToken: { what: 'A malformed comment.', remedy: 'Write // … or /* … */.' },
  UnexpectedEndOfComment: { what: 'A comment is not closed.', remedy: 'Close /* with */.' },
  UnexpectedEndOfString: { what: 'A text is not closed.', remedy: 'Close it with a double quote on the same line.' },
  UnexpectedEndOfNumber: { what: 'A number ends too early.', remedy: 'Write it with digits, e.g. 60000.' },
  InvalidUnicode: { what: 'A malformed \\u escape.', remedy: 'Write \\u and four hexadecimal digits.', mild: true },
  InvalidEscapeCharacter: {
    what: 'A backslash before a character that cannot be escaped.',
    remedy: 'Write \\\\ for a backslash, or / in paths.',
    mild: true,
  },
  InvalidCharacter: {
    what: 'A control character inside a text.',
    remedy: 'Write it as an escape, e.g. \\t or \\n.',
    mild: true,
  },
};
const unknownWording: Wording = { what: 'Not valid JSON.', remedy: 'Check what stands here.' };

export interface ParsedText {
  /** Undefined when there is nothing sound enough to check further. */
  readonly tree: Node | undefined;
  readonly faults: Notice[];
}

/** Reads JSON with comments and trailing commas. */
export function parseText(text: string): ParsedText {
  const errors: ParseError[] = [];
  const tree = parseTreeWithin(text, errors);
  if (tree === 'too deep') return failed({ what: 'Nested too deeply.', remedy: 'Remove the surplus brackets.' });
  const isBlank = errors.every(({ offset }) => offset >= text.length);
  if (tree === undefined && isBlank) return failed({ what: 'The file is empty.', remedy: exampleFile });
  const faults = withoutEchoes(errors, text).map(({ error, offset }) => {
    const { what, remedy } = wordingOf(error);
    return { offset, path: placeOf(text, offset), what, remedy };
  });
  return { tree: errors.every(({ error }) => wordingOf(error).mild === true) ? tree : undefined, faults };
}

/** Where a comma or a colon is missing, the parser takes a value for a name; that value may be a secret and is left out. */
function placeOf(text: string, offset: number): (string | number)[] {
  const path = getLocation(text, offset).path.filter((segment) => segment !== '');
  const last = path.at(-1);
  return typeof last === 'string' && !isName(last, text) ? path.slice(0, -1) : path;
}

function isName(segment: string, text: string): boolean {
  return text.split(JSON.stringify(segment)).some((after, index) => index > 0 && /^\s*:/.test(after));
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

/** One slip makes the parser stumble several times on its line: only the first stumble tells something. */
function withoutEchoes(errors: readonly ParseError[], text: string): ParseError[] {
  const kept: ParseError[] = [];
  for (const error of errors.toSorted((a, b) => a.offset - b.offset)) {
    const previous = kept.at(-1);
    const isEcho = previous !== undefined && !text.slice(previous.offset, error.offset).includes('\n');
    if (!isEcho || wordingOf(error.error).mild === true) kept.push(error);
    if (kept.length === mostSyntaxFaults) break;
  }
  return kept;
}

const mostSyntaxFaults = 20;
