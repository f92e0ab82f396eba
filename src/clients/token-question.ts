import { isRecord } from '../jsonrpc/json.js';
import { type Document, type Edit, Misfit } from './documents/document.js';
import { tokenInput, tokenQuestion } from './table/http-forms.js';

const key = 'inputs';

/** Adds the question that our entry refers to, if it is not there. Others, with the comments between them, stay as they are. */
export function questionEdits(document: Document): Edit[] {
  const found = document.entriesAt([]).find(({ name }) => name === key);
  if (found === undefined) return [{ kind: 'add', at: [], name: key, source: { value: [tokenQuestion] } }];
  const { value, offset } = found;
  const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (list === undefined) throw new Misfit(`has something else than a list as "${key}".`, offset);
  if (list.some((one) => isRecord(one) && one['id'] === tokenInput)) return [];
  const removal = { kind: 'remove', at: [], name: key } as const;
  const { inverse } = document.splicesFor(removal);
  if (inverse.kind !== 'add' || !('text' in inverse.source)) throw new Misfit('cannot be edited safely.', offset);
  const lines = withQuestion(inverse.source.text, indentAt(document.text, offset), list.length === 0);
  return [removal, { ...inverse, source: { value: [...list, tokenQuestion], ...(lines && { lines }) } }];
}

/** The text of the list with one more member, by lines; undefined if it is on one line, where it can be written again. */
function withQuestion(text: string, indent: string, isEmpty: boolean): string[] | undefined {
  const lines = text.split(/\r\n|\n|\r/).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  const [, inner = ''] = /^([ \t]+)\S/.exec(lines[1] ?? '') ?? [];
  const last = lines.at(-1)?.trim();
  if (isEmpty || inner === '' || last !== ']') return undefined;
  const before = lines.slice(0, -1);
  const end = before.findLastIndex((line) => /[}\]"\d,]\s*$/.test(line) && !/^\s*(?:\/\/|\*|\/\*)/.test(line));
  const member = before[end];
  // With a comment behind it, where it ends would have to be parsed.
  if (member === undefined || /\/\/|\/\*/.test(member)) return undefined;
  const comma = /,\s*$/.test(member) ? member : `${member.trimEnd()},`;
  const added = JSON.stringify(tokenQuestion, undefined, inner).split('\n');
  return [
    ...before.slice(0, end),
    comma,
    ...before.slice(end + 1),
    ...added.map((line) => inner + line),
    lines.at(-1) ?? ']',
  ];
}

/** What is before a member on its line. */
function indentAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}
