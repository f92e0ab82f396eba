import type { JsonObject } from '../../jsonrpc/json.js';
import { shortenToSize } from './fit-text.js';
import { type Budget, jsonChars, type ListedTool } from './listed-tool.js';
import { byServer } from './shares.js';
import type { Shown, View, Views } from './tool-views.js';

const longestExample = 60;
/** Lists in notes have at most this many characters, and less in small answers. */
const longestList = 300;
const listPart = 0.05;
/** What an answer has besides the one tool it shows. */
const aroundOneTool = 600;
/** So many tools are tried as an example; nearly always the first one is taken. */
const maxExamples = 10;

const shownAs = {
  inputs: 'without output schemas',
  schemas: 'with input schemas only',
  signatures: 'with signatures instead of schemas (… marks what is left out)',
  names: 'by name only',
} as const satisfies Record<Exclude<Shown, 'full'>, string>;
const reductions = ['inputs', 'schemas', 'signatures', 'names'] as const;

type Counts = Record<(typeof reductions)[number], number>;

/** What notes are made of. */
interface Facts {
  readonly counts: Counts;
  /** Tools whose schema no answer can hold, servers with tools that are not listed, sentences that are left out. */
  readonly tooLarge: string;
  readonly notListed: string;
  readonly skipped: string;
  /** For the examples: a tool of which an answer can show more, and any tool. */
  readonly fitting: ListedTool | undefined;
  readonly any: ListedTool | undefined;
  /** Nothing else is listed. */
  readonly isOnly: boolean;
}

const oneShownAs = {
  ...shownAs,
  inputs: 'without its output schema',
  schemas: 'with its input schema only',
  signatures: 'with a signature instead of its schema (… marks what is left out)',
};

/** Beside rows: an empty `tools` must not be read as "no tools". `isAll`: no tool is listed elsewhere. */
export function rowsNote(isAll: boolean): string {
  return `${isAll ? 'The tools are in rows, not in tools' : 'More tools are in rows'}; columns names the cells.`;
}

/** What was reduced, unless the agent asked for it, and how to get more. */
export function notesOn(entries: readonly ListedTool[], shown: ReadonlyMap<ListedTool, View>, views: Views): string[] {
  const reduced = entries.filter((entry) => shown.get(entry)?.shown !== 'full');
  if (reduced.length === 0) return [];
  const counts = { inputs: 0, schemas: 0, signatures: 0, names: 0 };
  for (const entry of reduced) {
    const as = shown.get(entry)?.shown ?? 'full';
    if (as !== 'full') counts[as]++;
  }
  const signed = reduced.filter((entry) => shown.get(entry)?.shown === 'signatures');
  const unlisted = byServer(reduced.filter((entry) => !shown.has(entry)));
  const list = (texts: readonly string[]) => shortenToSize(texts.join(', '), listChars(views.options), views.options);
  const isAskedFor = views.options.detail === 'signatures';
  return notes(
    {
      counts,
      tooLarge: isAskedFor ? '' : list(signed.filter((entry) => !fitsAlone(entry, views)).map(sizeText(views))),
      notListed: list(unlisted.map((tools) => `${countText(tools.length)} of ${exampleName(tools[0]?.server)}`)),
      skipped: isAskedFor ? '' : list(sharedBy(signed, views)),
      fitting: reduced.slice(0, maxExamples).find((entry) => fitsAlone(entry, views, shown.get(entry)?.shown)),
      any: reduced[0],
      isOnly: entries.length === 1,
    },
    views,
  );
}

/** Notes as long as they can become. */
export function longestNotes(entries: readonly ListedTool[], views: Views): string[] {
  const { length } = entries;
  const longest = 'x'.repeat(listChars(views.options));
  const counts = { inputs: 0, schemas: length, signatures: length, names: length };
  const skipped = views.shared.size === 0 ? '' : longest;
  const isOnly = length === 1;
  const [first] = entries;
  const any = first && { ...first, tool: { ...first.tool, name: 'x'.repeat(longestExample) } };
  return notes({ counts, tooLarge: longest, notListed: longest, skipped, fitting: any, any, isOnly }, views);
}

function notes({ counts, tooLarge, notListed, skipped, fitting, any, isOnly }: Facts, views: Views): string[] {
  const all = [
    reducedNote(counts, isOnly, views),
    tooLarge && `Schemas too large for an answer: ${tooLarge}.`,
    notListed && `Not listed: ${notListed}.`,
    skipped && `Left out of descriptions, because most tools have it: ${skipped}.`,
    // If the only tool has its schema, asking for it by name would not show more.
    [
      fitting === undefined || (isOnly && counts.signatures + counts.names === 0) ? '' : schemasNote([fitting]),
      isOnly ? '' : queryNote(any),
    ]
      .filter(Boolean)
      .join(' '),
  ];
  return all.filter(Boolean);
}

function reducedNote(counts: Counts, isOnly: boolean, { options }: Views): string {
  const kinds = reductions.filter((kind) => counts[kind] > 0);
  if (kinds.every((kind) => kind === options.detail)) return '';
  const [first, ...others] = kinds.map((kind) => [counts[kind], (isOnly ? oneShownAs : shownAs)[kind]] as const);
  const [count, as] = first ?? [0, ''];
  const start = isOnly ? 'The tool is' : `${countText(count)} ${count === 1 ? 'is' : 'are'}`;
  const rest = others.map((other) => `, ${other.join(' ')}`).join('');
  return `${start} shown ${as}${isOnly ? '' : rest}: this answer is limited to ${limitText(options)}.`;
}

function limitText(budget: Budget): string {
  const reason = budget.byClient ? 'this client shows no more' : 'openBudgetChars in the configuration';
  return `${budget.budgetChars} ${unitOf(budget)} (${reason})`;
}

function countText(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`;
}

function unitOf({ inBytes }: Budget): string {
  return inBytes ? 'bytes' : 'characters';
}

function listChars({ budgetChars }: Budget): number {
  return Math.floor(Math.min(longestList, budgetChars * listPart));
}

/** Whether an answer can hold the tool with its schema; with its output schema, if only that is missing. */
function fitsAlone(entry: ListedTool, views: Views, shown?: Shown): boolean {
  const { size } = shown === 'inputs' ? views.full(entry) : views.schema(entry);
  return size + aroundOneTool <= views.options.budgetChars;
}

function sizeText(views: Views): (entry: ListedTool) => string {
  const unit = unitOf(views.options);
  return (entry) => {
    const { size } = views.schema(entry);
    return `${exampleName(entry.tool.name)}${Number.isFinite(size) ? ` (${size} ${unit})` : ''}`;
  };
}

/** The sentences that are left out, each once. */
function sharedBy(entries: readonly ListedTool[], { shared }: Views): string[] {
  const sets = new Set(entries.flatMap((entry) => shared.get(entry) ?? []));
  return [...sets].flatMap((sentences) => [...sentences].map((sentence) => `'${sentence}'`));
}

/** Replaces a listing in which not even the names fit. */
export function countNote(entries: readonly ListedTool[], budget: Budget): string {
  return `There are ${entries.length} tools, too many to list in ${budget.budgetChars} ${unitOf(budget)}. ${queryNote(entries[0])}`;
}

export function schemasNote([first]: readonly ListedTool[]): string {
  return `Full schemas: ${exampleCall(first, { tools: [exampleName(first?.tool.name)] })}.`;
}

function queryNote(entry: ListedTool | undefined): string {
  return `Tools for a task: ${exampleCall(entry, { query: 'what to do' })}.`;
}

function exampleCall(entry: ListedTool | undefined, more: JsonObject): string {
  return `open_toolbox(${JSON.stringify({ toolbox: exampleName(entry?.toolbox), ...more })})`;
}

/** A placeholder instead of a name that is very long, also because of characters that are escaped, twice in a call in an answer. */
function exampleName(name: string | undefined): string {
  const isShort = name !== undefined && jsonChars(JSON.stringify(name), { inBytes: true }) <= longestExample + 6;
  return isShort ? name : 'NAME';
}
