import { getNodeValue, type Node, parseTree } from 'jsonc-parser';
import {
  type Addition,
  type Edit,
  type Glue,
  type KeyPath,
  Misfit,
  type Splice,
  type Spliced,
  type SplicedAll,
} from './document.js';
import { type Layout, layoutOf, memberText } from './json-layout.js';
import { endOf, type Member, memberOf, membersOf } from './json-tree.js';
import { commaAfter, endOfRemarks } from './json-trivia.js';

/** Adds a member, and the objects around it that are missing. */
export function addToJson(source: string, root: Node | undefined, edit: Addition): Spliced {
  const { at, name } = edit;
  const { object, depth } = innermost(root, at);
  const made = at.slice(depth);
  const inverse = { kind: 'remove', at, name, ...(made.length > 0 && { made: made.length }) } as const;
  if (object !== undefined && memberOf(object, name) !== undefined && made.length === 0)
    throw new Misfit(`has an entry ${JSON.stringify(name)} already.`, object.offset);
  const layout = layoutOf(source, root, object, depth);
  const remarks = commentsText(edit, layout);
  const text = newMember(edit, made, layout);
  if (object === undefined) return { splices: [wholeFile(source, remarks + text, layout)], inverse };
  const members = membersOf(object);
  const [last] = members.slice(-1);
  if (last === undefined) {
    const inner = source.slice(object.offset + 1, endOf(object) - 1);
    return { splices: [intoEmpty(object, inner, remarks + text, layout)], inverse: { ...inverse, blank: inner } };
  }
  const next = edit.after === undefined || made.length > 0 ? undefined : placeAfter(members, edit.after);
  const { splices, glue } =
    next === undefined
      ? afterLast(source, last, { remarks, text }, layout)
      : beforeMember(next, { remarks, text }, layout);
  return { splices, inverse: { ...inverse, glue } };
}

/** Adds members to an object that is there, behind its last one. Undefined if it is not there. */
export function addAllToJson(
  source: string,
  root: Node | undefined,
  [first, ...others]: readonly Addition[],
): SplicedAll | undefined {
  const { object, depth } = innermost(root, first?.at ?? []);
  if (first === undefined || object === undefined || depth < first.at.length) return undefined;
  const layout = layoutOf(source, root, object, depth);
  const { splices, inverse } = addToJson(source, root, first);
  const glue = inverse.kind === 'remove' ? inverse.glue : undefined;
  const hasTrailing = glue?.after === ',';
  const space = spaceOf(layout);
  const inverses: Edit[] = [inverse];
  let text = '';
  for (const edit of others) {
    const before = (hasTrailing ? space : `,${space}`) + commentsText(edit, layout);
    const after = hasTrailing ? ',' : '';
    text += before + newMember(edit, [], layout) + after;
    inverses.push({ kind: 'remove', at: edit.at, name: edit.name, glue: { before, after } });
  }
  return { splices: withMore(splices, text, object, layout), inverse: inverses };
}

/** The text of more members behind that of the first one. */
function withMore(
  splices: readonly Splice[],
  text: string,
  object: Node,
  { kind, indent, unit, lineBreak }: Layout,
): Splice[] {
  const last = splices.at(-1);
  if (last === undefined) return [];
  const isEmpty = membersOf(object).length === 0;
  const outer = indent.slice(0, indent.length - unit.length);
  // What `intoEmpty` writes behind a member.
  const end = isEmpty ? { lines: lineBreak + outer, spaced: ' ', minified: '' }[kind] : '';
  const behind = last.text.slice(0, last.text.length - end.length);
  return [...splices.slice(0, -1), { ...last, text: behind + text + end }];
}

/** The innermost object of a path that is there, and how many objects are around it. */
function innermost(root: Node | undefined, at: KeyPath): { readonly object: Node | undefined; readonly depth: number } {
  let object = root;
  let depth = 0;
  for (; depth < at.length && object !== undefined; depth++) {
    const inner = memberOf(object, at[depth] ?? '')?.value;
    if (inner === undefined) break;
    if (inner.type !== 'object')
      throw new Misfit(`has something else than an object as ${JSON.stringify(at[depth])}.`, inner.offset);
    object = inner;
  }
  return { object, depth };
}

/** The member that a new one comes before; undefined if it comes last. */
function placeAfter(members: readonly Member[], after: string | null): Member | undefined {
  if (after === null) return members[0];
  const index = members.findIndex(({ name }) => name === after);
  return index === -1 ? undefined : members[index + 1];
}

function newMember({ name, source }: Addition, made: readonly string[], layout: Layout): string {
  const [outer, ...inner] = made;
  if (outer === undefined) return ownText(name, source, layout);
  const value = 'text' in source ? parsedMember(source.text) : { [name]: source.value };
  return memberText(
    outer,
    inner.reduceRight<object>((around, key) => ({ [key]: around }), value),
    layout,
  );
}

function ownText(name: string, source: Addition['source'], layout: Layout): string {
  const { kind, indent, unit, lineBreak } = layout;
  if ('text' in source) return indented(source.text, source.indent, layout);
  if (kind !== 'lines' || source.lines === undefined) return memberText(name, source.value, layout);
  return source.lines.map((line) => line.replace(/^\t+/, (tabs) => unit.repeat(tabs.length))).join(lineBreak + indent);
}

/** A text that was written elsewhere: its lines after the first get the indentation of this place. */
function indented(text: string, from: string | undefined, { kind, indent }: Layout): string {
  if (kind !== 'lines' || from === undefined || from === indent) return text;
  return text.replaceAll(/(\r\n|\n|\r)([ \t]*)/g, (all, lineBreak: string, space: string) =>
    space.startsWith(from) ? lineBreak + indent + space.slice(from.length) : all,
  );
}

/** The comments before a member, up to where it begins. */
function commentsText({ comments = [] }: Addition, { kind, indent, lineBreak }: Layout): string {
  const lines = comments.flatMap((comment) => comment.split(/\r\n|[\n\r\u2028\u2029]/));
  if (kind === 'lines') return lines.map((line) => `${`// ${line}`.trimEnd()}${lineBreak}${indent}`).join('');
  return lines.map((line) => `/* ${line.replaceAll('*/', '* /')} */ `).join('');
}

/** The text of a member whose place is gone: it is written again. */
function parsedMember(text: string): object {
  const tree = parseTree(`{${text}}`);
  const value: unknown = tree && getNodeValue(tree);
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

/** A new member and the comments before it. */
interface Commented {
  readonly remarks: string;
  readonly text: string;
}

function beforeMember({ property }: Member, { remarks, text }: Commented, layout: Layout): Inserted {
  return inserted(property.offset, text, { before: remarks, after: `,${spaceOf(layout)}` });
}

function afterLast(source: string, { property }: Member, { remarks, text }: Commented, layout: Layout): Inserted {
  const { kind } = layout;
  const end = endOf(property);
  const comma = commaAfter(source, end);
  const space = spaceOf(layout) + remarks;
  if (comma !== undefined) {
    const place = kind === 'lines' ? endOfRemarks(source, comma + 1) : comma + 1;
    return inserted(place, text, { before: space, after: ',' });
  }
  const place = kind === 'lines' ? endOfRemarks(source, end) : end;
  if (place === end) return inserted(end, text, { before: `,${space}`, after: '' });
  const { splices, glue } = inserted(place, text, { before: space, after: '' });
  return { splices: [{ start: end, end, text: ',' }, ...splices], glue };
}

/** What is between two members, beside the comma. */
function spaceOf({ kind, indent, lineBreak }: Layout): string {
  return { lines: lineBreak + indent, spaced: ' ', minified: '' }[kind];
}

function inserted(place: number, text: string, glue: Glue): Inserted {
  return { splices: [{ start: place, end: place, text: glue.before + text + glue.after }], glue };
}
