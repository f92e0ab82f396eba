import { type EnvLine, envLinesIn } from '../../config/values/env-file.js';
import {
  type Addition,
  type Document,
  type Edit,
  type Entry,
  type Fact,
  lineBreakOf,
  Misfit,
  type Spliced,
  type SplicedAll,
} from './document.js';

/** A file of `NAME=value` lines. Its entries are at the top; of a name that occurs twice, the last line counts. */
export function openEnv(text: string): Document {
  const lines = envLinesIn(text);
  const entriesAt = (at: readonly string[]) => (at.length === 0 ? entriesOf(lines) : []);
  return {
    text,
    keysAt: (at) => entriesAt(at).map(({ name }) => name),
    entriesAt,
    facts: () => lines.flatMap((line) => factOf(line, text)),
    comments: () => lines.filter(({ variable, start, end }) => variable === undefined && end > start),
    splicesFor: (edit) => splicesFor(text, lines, edit),
    splicesForAll: (additions) => addAll(text, lines, additions),
  };
}

function entriesOf(lines: readonly EnvLine[]): Entry[] {
  const entries = lines.flatMap(({ start, variable }): Entry[] =>
    variable === undefined ? [] : [{ at: [], ...variable, offset: start }],
  );
  return [...new Map(entries.map((entry) => [entry.name, entry])).values()];
}

function factOf({ start, end, variable }: EnvLine, text: string): Fact[] {
  return variable === undefined ? [] : [{ path: [variable.name], text: text.slice(start, end), offset: start }];
}

function splicesFor(text: string, lines: readonly EnvLine[], edit: Edit): Spliced {
  if (edit.kind === 'add') {
    const { splices, inverse } = addAll(text, lines, [edit]);
    return { splices, inverse: inverse[0] ?? { kind: 'remove', at: [], name: edit.name } };
  }
  const found = lines.filter(({ variable }) => variable?.name === edit.name);
  const [line] = found.slice(-1);
  if (line === undefined) throw new Misfit(`has no line ${edit.name}.`, 0);
  const splices = found.map(({ start, end }) => ({
    start,
    end: text.startsWith('\r\n', end) ? end + 2 : end + 1,
    text: '',
  }));
  const inverse: Edit = { kind: 'add', at: [], name: edit.name, source: { text: text.slice(line.start, line.end) } };
  return { splices: splices.map((one) => ({ ...one, end: Math.min(one.end, text.length) })), inverse };
}

function addAll(text: string, lines: readonly EnvLine[], additions: readonly Addition[]): SplicedAll {
  const names = new Set(lines.flatMap(({ variable }) => variable?.name ?? []));
  const lineBreak = lineBreakOf(text);
  const added = additions.map(({ name, source }) => {
    if (names.size === names.add(name).size) throw new Misfit(`has a line ${name} already.`, 0);
    return `${'text' in source ? source.text : envLine(name, String(source.value))}${lineBreak}`;
  });
  const start = text === '' || /[\n\r]$/.test(text) ? '' : lineBreak;
  return {
    splices: [{ start: text.length, end: text.length, text: start + added.join('') }],
    inverse: additions.map(({ name }) => ({ kind: 'remove', at: [], name })),
  };
}

/** In the first form in which it is read as what it is. */
function envLine(name: string, value: string): string {
  const escaped = value
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', String.raw`\r`);
  const forms = [/^[\w@%+=:,./-]*$/.test(value) ? value : `'${value}'`, `"${escaped}"`];
  const line = forms.map((form) => `${name}=${form}`).find((one) => isRead(one, name, value));
  if (line === undefined) throw new Misfit(`cannot have the value of ${name}.`, 0);
  return line;
}

function isRead(line: string, name: string, value: string): boolean {
  const [first, ...others] = envLinesIn(line);
  return others.length === 0 && first?.variable?.name === name && first.variable.value === value;
}
