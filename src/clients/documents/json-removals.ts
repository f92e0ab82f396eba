import type { Node } from 'jsonc-parser';
import { type Addition, type Glue, Misfit, type Removal, type Splice, type Spliced } from './document.js';
import { type Extent, extentOf, startOfSearch } from './json-extent.js';
import { lineIndent, startOfLine } from './json-layout.js';
import { endOf, type Member, memberOf, membersOf, nodeAt } from './json-tree.js';
import { commaAfter, lastThing, nextThing } from './json-trivia.js';

/** Removes a member with its comma. Comments around it stay, unless comments about it are removed, too. */
export function removeFromJson(source: string, root: Node | undefined, edit: Removal): Spliced {
  const { at, name, made = 0, blank, glue } = edit;
  const object = nodeAt(root, at);
  const member = memberOf(object, name);
  if (object === undefined || member === undefined) throw new Misfit(`has no entry ${JSON.stringify(name)}.`, 0);
  const members = membersOf(object);
  const index = members.findIndex((one) => one.property === member.property);
  const extent = edit.withComments === true ? extentOf(source, object, members, index) : undefined;
  const inverse: Addition = {
    kind: 'add',
    at,
    name,
    source:
      extent === undefined
        ? { text: source.slice(member.property.offset, endOf(member.property)) }
        : { text: extent.text, indent: lineIndent(source, member.property.offset) },
    after: members[index - 1]?.name ?? null,
  };
  const isAlone = members.length === 1;
  if (isAlone && made > 0 && at.length > 0 && isOnlyThis(source, object, member)) {
    const outer = { kind: 'remove', at: at.slice(0, -1), name: at.at(-1) ?? '', made: made - 1, blank, glue } as const;
    return { splices: removeFromJson(source, root, outer).splices, inverse };
  }
  if (isAlone && made === 0 && blank !== undefined && isOnlyThis(source, object, member, blank))
    return { splices: [{ start: object.offset + 1, end: endOf(object) - 1, text: blank }], inverse };
  const whole = made === 0 && glue !== undefined ? cutWith(source, member, glue) : undefined;
  return { splices: whole === undefined ? cutsOf(source, object, members, index, extent) : [whole], inverse };
}

/** Together with the comma that came with it; undefined if that is no longer beside it. */
function cutWith(source: string, { property }: Member, { before, after }: Glue): Splice | undefined {
  const start = property.offset - before.length;
  const end = endOf(property) + after.length;
  const isThere = source.startsWith(before, start) && source.startsWith(after, endOf(property));
  return isThere && (before + after).includes(',') ? cut(start, end) : undefined;
}

/** Whether an object has nothing in it but this member: no comment that was not there when it was empty. */
function isOnlyThis(source: string, object: Node, { property }: Member, blank = ''): boolean {
  const end = endOf(property);
  const comma = commaAfter(source, end);
  const before = source.slice(object.offset + 1, property.offset);
  const rest = endOf(object) - 1;
  const after =
    comma === undefined ? source.slice(end, rest) : source.slice(end, comma) + source.slice(comma + 1, rest);
  return (before + after).trim() === blank.trim();
}

function cutsOf(
  source: string,
  object: Node,
  members: readonly Member[],
  index: number,
  extent: Extent | undefined,
): Splice[] {
  const member = members[index];
  if (member === undefined) return [];
  const start = extent?.start ?? member.property.offset;
  const end = endOf(member.property);
  const previous = members[index - 1];
  const before = lastThing(source, startOfSearch(object, previous), start);
  const comma = commaAfter(source, end);
  if (comma === undefined) return lastCuts(source, previous, before, { start, end: extent?.end ?? end });
  const hasRemark = extent === undefined && /\S/.test(source.slice(end, comma));
  const cutEnd = extent?.end ?? (hasRemark ? end : comma + 1);
  const cuts = hasRemark ? [cut(comma, comma + 1)] : [];
  const next = nextThing(source, cutEnd);
  const beginsLine = before.end <= startOfLine(source, start);
  const lineEnd = endOfBlanks(source, cutEnd);
  if (!next.isOnNextLine) return [cut(start, lineEnd), ...cuts];
  // To the end of its line: the line break before it goes with it, or the one after it if the line is all its own.
  return beginsLine
    ? [cut(startOfLine(source, start), nextLine(source, lineEnd)), ...cuts]
    : [cut(before.end, cutEnd), ...cuts];
}

/** The last member has no comma after it; the one before it goes. */
function lastCuts(
  source: string,
  previous: Member | undefined,
  before: { readonly end: number; readonly isLineComment: boolean },
  { start, end }: { readonly start: number; readonly end: number },
): Splice[] {
  // What follows must not become a part of a comment.
  const keepsBreak = before.isLineComment && !nextThing(source, end).isOnNextLine;
  const cuts = [cut(keepsBreak ? start : before.end, end)];
  const comma = previous && commaAfter(source, endOf(previous.property));
  return comma === undefined ? cuts : [cut(comma, comma + 1), ...cuts];
}

function cut(start: number, end: number): Splice {
  return { start, end, text: '' };
}

function endOfBlanks(source: string, offset: number): number {
  let end = offset;
  while (source[end] === ' ' || source[end] === '\t') end++;
  return end;
}

function nextLine(source: string, offset: number): number {
  if (source.startsWith('\r\n', offset)) return offset + 2;
  return source[offset] === '\n' || source[offset] === '\r' ? offset + 1 : offset;
}
