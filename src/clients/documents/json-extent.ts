import type { Node } from 'jsonc-parser';
import { lineBreakOf } from './document.js';
import { lineIndent, startOfLine } from './json-layout.js';
import { endOf, type Member } from './json-tree.js';
import { commaAfter, commentsBetween, endOfRemarks, nextThing } from './json-trivia.js';

/** A member with the comments that are about it, and the comma behind it. */
export interface Extent {
  readonly start: number;
  readonly end: number;
  /** The member with its comments, each on a line before it, and without the comma. */
  readonly text: string;
}

/** Comments are about a member if they stand directly above it, without a blank line, or behind it on its line. */
export function extentOf(source: string, object: Node, members: readonly Member[], index: number): Extent {
  const member = members[index];
  if (member === undefined) return { start: 0, end: 0, text: '' };
  const { offset } = member.property;
  const end = endOf(member.property);
  const previous = members[index - 1];
  // What is before the comma is about the one before.
  const from = previous === undefined ? object.offset : (commaAfter(source, endOf(previous.property)) ?? offset);
  const above = commentsAbove(source, from, offset);
  const start = above[0]?.start ?? offset;
  const comma = commaAfter(source, end);
  const last = comma === undefined ? end : comma + 1;
  const remarksEnd = endOfRemarks(source, last);
  const tail = nextThing(source, remarksEnd).isOnNextLine ? remarksEnd : last;
  const behind = commentsBetween(source, end, tail);
  const parts = [...above, ...behind].map((range) => source.slice(range.start, range.end));
  const separator = lineBreakOf(source) + lineIndent(source, offset);
  return { start, end: tail, text: [...parts, source.slice(offset, end)].join(separator) };
}

/** Where to look for what is before a member: at the one before it, or at the brace. */
export function startOfSearch(object: Node, previous: Member | undefined): number {
  return previous === undefined ? object.offset : previous.value.offset;
}

/** A commented-out entry is about nothing. */
const entryInComment = /^(?:\/\/|\/\*)\s*["{}\]]/m;

function commentsAbove(source: string, from: number, offset: number): { start: number; end: number }[] {
  const attached: { start: number; end: number }[] = [];
  let next = offset;
  for (const comment of commentsBetween(source, from, offset).toReversed()) {
    const isOnOwnLine = /^[ \t]*$/.test(source.slice(startOfLine(source, comment.start), comment.start));
    const breaks = source.slice(comment.end, next).match(/\r\n|\n|\r/g) ?? [];
    if (!isOnOwnLine || breaks.length !== 1 || entryInComment.test(source.slice(comment.start, comment.end))) break;
    attached.unshift(comment);
    next = comment.start;
  }
  return attached;
}
