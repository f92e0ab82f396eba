import { createScanner } from 'jsonc-parser';
import type { Range } from './document.js';

// jsonc-parser has these as const enums, which cannot be imported one file at a time.
const comma = 5;
const lineComment = 12;
const blockComment = 13;
const lineBreak = 14;
const blank = 15;
const endOfFile = 17;

interface Token {
  readonly kind: number;
  readonly start: number;
  readonly end: number;
}

function tokensFrom(source: string, offset: number): () => Token {
  const scanner = createScanner(source, false);
  scanner.setPosition(offset);
  return () => {
    const kind: number = scanner.scan();
    const start = scanner.getTokenOffset();
    return { kind, start, end: start + scanner.getTokenLength() };
  };
}

export function commentsIn(source: string): Range[] {
  return commentsBetween(source, 0, source.length);
}

/** The comments that begin in a range. `from`: where a token begins. */
export function commentsBetween(source: string, from: number, to: number): Range[] {
  const next = tokensFrom(source, from);
  const comments: Range[] = [];
  for (let token = next(); token.kind !== endOfFile && token.start < to; token = next())
    if (token.kind === lineComment || token.kind === blockComment)
      comments.push({ start: token.start, end: token.end });
  return comments;
}

/** Where the comma after a value is; undefined if the object ends without one. */
export function commaAfter(source: string, offset: number): number | undefined {
  const next = tokensFrom(source, offset);
  for (;;) {
    const { kind, start } = next();
    if (kind === comma) return start;
    if (kind !== lineComment && kind !== blockComment && kind !== lineBreak && kind !== blank) return undefined;
  }
}

/** Where the comments that follow a value on its line end; the offset itself if there are none. */
export function endOfRemarks(source: string, offset: number): number {
  const next = tokensFrom(source, offset);
  let end = offset;
  for (;;) {
    const token = next();
    if (token.kind === lineComment || token.kind === blockComment) end = token.end;
    else if (token.kind !== blank) return end;
  }
}

/** What comes after an offset: where the next token or comment begins, and whether a line break is before it. */
export function nextThing(source: string, offset: number): { readonly start: number; readonly isOnNextLine: boolean } {
  const next = tokensFrom(source, offset);
  let isOnNextLine = false;
  for (;;) {
    const { kind, start } = next();
    if (kind === endOfFile || (kind !== blank && kind !== lineBreak)) return { start, isOnNextLine };
    isOnNextLine ||= kind === lineBreak;
  }
}

interface LastThing {
  /** Where it ends. */
  readonly end: number;
  readonly isLineComment: boolean;
}

/** The last token or comment that ends at `offset` or before it; `from`: where a token before it begins. */
export function lastThing(source: string, from: number, offset: number): LastThing {
  const next = tokensFrom(source, from);
  let last: LastThing = { end: from, isLineComment: false };
  for (;;) {
    const { kind, start, end } = next();
    if (start >= offset || kind === endOfFile) return last;
    if (kind !== blank && kind !== lineBreak) last = { end, isLineComment: kind === lineComment };
  }
}
