import type { Node } from 'jsonc-parser';
import { type Addition, type Glue, Misfit, type Removal, type Splice, type Spliced } from './document.js';
import { type Layout, layoutOf, memberText, startOfLine } from './json-layout.js';
import { endOf, type Member, memberOf, membersOf, nodeAt } from './json-tree.js';
import { commaAfter, endOfRemarks, lastThing, nextThing } from './json-trivia.js';

/** Adds a member, and the objects around it that are missing. */
export function addToJson(source: string, root: Node | undefined, edit: Addition): Spliced {
  const { at, name } = edit;
  let object = root;
  let depth = 0;
  for (; depth < at.length && object !== undefined; depth++) {
    const inner = memberOf(object, at[depth] ?? '')?.value;
    if (inner === undefined) break;
    if (inner.type !== 'object')
      throw new Misfit(`has something else than an object as ${JSON.stringify(at[depth])}.`, inner.offset);
    object = inner;
  }
  const made = at.slice(depth);
  const inverse = { kind: 'remove', at, name, ...(made.length > 0 && { made: made.length }) } as const;
  if (object !== undefined && memberOf(object, name) !== undefined && made.length === 0)
    throw new Misfit(`has an entry ${JSON.stringify(name)} already.`, object.offset);
  const layout = layoutOf(source, root, object, depth);
  const text = newMember(edit, made, layout);
  if (object === undefined) return { splices: [wholeFile(source, text, layout)], inverse };
  const members = membersOf(object);
  const [last] = members.slice(-1);
  if (last === undefined) {
    const inner = source.slice(object.offset + 1, endOf(object) - 1);
    return { splices: [intoEmpty(object, inner, text, layout)], inverse: { ...inverse, blank: inner } };
  }
  const next = edit.after === undefined || made.length > 0 ? undefined : placeAfter(members, edit.after);
  const { splices, glue } =
    next === undefined ? afterLast(source, last, text, layout) : beforeMember(next, text, layout);
  return { splices, inverse: { ...inverse, glue } };
}

/** The member that a new one comes before; undefined if it comes last. */
function placeAfter(members: readonly Member[], after: string | null): Member | undefined {
  if (after === null) return members[0];
  const index = members.findIndex(({ name }) => name === after);
  return index === -1 ? undefined : members[index + 1];
}

function newMember({ name, source }: Addition, made: readonly string[], layout: Layout): string {
  const [outer, ...inner] = made;
  if (outer === undefined) return 'text' in source ? source.text : memberText(name, source.value, layout);
  const value = 'text' in source ? parsedMember(source.text) : { [name]: source.value };
  return memberText(
    outer,
    inner.reduceRight<object>((around, key) => ({ [key]: around }), value),
    layout,
  );
}

/** The text of a member whose place is gone: it is written anew. */
function parsedMember(text: string): object {
  const value: unknown = JSON.parse(`{${text}}`);
  if (typeof value !== 'object' || value === null) throw new Misfit('has an entry that cannot be restored.', 0);
  return value;
}

function wholeFile(source: string, text: string, { indent, lineBreak }: Layout): Splice {
  return { start: source.length, end: source.length, text: `{${lineBreak}${indent}${text}${lineBreak}}${lineBreak}` };
}

function intoEmpty(object: Node, inner: string, text: string, { kind, indent, unit, lineBreak }: Layout): Splice {
  const start = object.offset + 1;
  const end = endOf(object) - 1;
  if (kind === 'minified') return { start, end, text: inner.trim() === '' ? text : inner + text };
  if (kind === 'spaced') return { start, end, text: `${inner.trim() === '' ? ' ' : `${inner} `}${text} ` };
  const outer = indent.slice(0, indent.length - unit.length);
  // What is there may be a comment.
  const kept = inner.trim() === '' ? '' : inner.trimEnd();
  return { start, end, text: `${kept}${lineBreak}${indent}${text}${lineBreak}${outer}` };
}

interface Inserted {
  readonly splices: readonly Splice[];
  readonly glue: Glue;
}

function beforeMember({ property }: Member, text: string, { kind, indent, lineBreak }: Layout): Inserted {
  const after = { lines: `,${lineBreak}${indent}`, spaced: ', ', minified: ',' }[kind];
  return inserted(property.offset, text, { before: '', after });
}

function afterLast(source: string, { property }: Member, text: string, { kind, indent, lineBreak }: Layout): Inserted {
  const end = endOf(property);
  const comma = commaAfter(source, end);
  const space = { lines: lineBreak + indent, spaced: ' ', minified: '' }[kind];
  if (comma !== undefined) {
    const place = kind === 'lines' ? endOfRemarks(source, comma + 1) : comma + 1;
    return inserted(place, text, { before: space, after: ',' });
  }
  const place = kind === 'lines' ? endOfRemarks(source, end) : end;
  if (place === end) return inserted(end, text, { before: `,${space}`, after: '' });
  const { splices, glue } = inserted(place, text, { before: space, after: '' });
  return { splices: [{ start: end, end, text: ',' }, ...splices], glue };
}

function inserted(place: number, text: string, glue: Glue): Inserted {
  return { splices: [{ start: place, end: place, text: glue.before + text + glue.after }], glue };
}

/** Removes a member with its comma. Comments around it stay. */
export function removeFromJson(source: string, root: Node | undefined, edit: Removal): Spliced {
  const { at, name, made = 0, blank, glue } = edit;
  const object = nodeAt(root, at);
  const member = memberOf(object, name);
  if (object === undefined || member === undefined) throw new Misfit(`has no entry ${JSON.stringify(name)}.`, 0);
  const members = membersOf(object);
  const index = members.findIndex((one) => one.property === member.property);
  const inverse: Addition = {
    kind: 'add',
    at,
    name,
    source: { text: source.slice(member.property.offset, endOf(member.property)) },
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
  return { splices: whole === undefined ? cutsOf(source, object, members, index) : [whole], inverse };
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

function cutsOf(source: string, object: Node, members: readonly Member[], index: number): Splice[] {
  const member = members[index];
  if (member === undefined) return [];
  const start = member.property.offset;
  const end = endOf(member.property);
  const previous = members[index - 1];
  const from = previous === undefined ? object.offset : previous.value.offset;
  const before = lastThing(source, from, start);
  const comma = commaAfter(source, end);
  if (comma === undefined) return lastCuts(source, previous, before, { start, end });
  const hasRemark = /\S/.test(source.slice(end, comma));
  const cutEnd = hasRemark ? end : comma + 1;
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
