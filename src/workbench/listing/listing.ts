import type { Tool } from '../../contract/types.js';
import { firstSentence } from '../../text/first-sentence.js';
import {
  fits,
  jsonChars,
  type ListedTool,
  placeCells,
  placeColumns,
  type Room,
  type ToolListing,
} from './listed-tool.js';
import { countNote, reducedNotes } from './notes.js';
import { pruneTool } from './prune-schema.js';
import { argumentsOf, parameterNamesOf } from './signature.js';

export type ListingDetail = 'full' | 'signatures' | 'names';

export interface ListingOptions extends Room {
  /** The highest level of detail; by default, as much as fits. */
  readonly detail?: ListingDetail;
  /** Adds a column with the toolbox of each tool. */
  readonly withToolbox?: boolean;
}

/** Undefined if it does not fit. */
type List = (entries: readonly ListedTool[], options: Frame) => ToolListing | undefined;

/** Shared by all levels of detail. */
interface Frame extends ListingOptions {
  readonly sentence: Describe;
  readonly signature: Describe;
  readonly parameters: Describe;
}

type Describe = (tool: Tool, maxChars: number) => string;

// From most to least detail. The first level at which the whole answer fits is used for all tools:
// in a mixed listing, the detail of one tool would depend on the sizes of the others.
const inRows: readonly List[] = [
  withSignatures(16_000, 160),
  withSignatures(4_000, 160),
  withSignatures(1_500, 160),
  withSignatures(600, 160),
  withSignatures(300, 120),
  withSignatures(150, 80),
  withParameters(400),
  withParameters(150),
];
const asNames: readonly List[] = [withNames];
const asCounts: readonly List[] = [countsPerServer, countOnly, countInBrief];

const startingFrom: Readonly<Record<ListingDetail, readonly List[]>> = {
  full: [inFull, withoutOutputs, ...inRows, ...asNames, ...asCounts],
  signatures: [...inRows, ...asNames, ...asCounts],
  names: [...asNames, ...asCounts],
};

/** Lists tools in the given order, in as much detail as the budget of the answer allows. */
export function listTools(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  if (entries.length === 0) return { tools: [], notes: [] };
  // If not even the names fit, more detailed levels are skipped: this keeps thousands of tools fast.
  const namesFit = options.overheadChars + jsonChars(entries.map(({ tool }) => tool.name)) <= options.budgetChars;
  const frame = {
    ...options,
    sentence: memoized(({ description }, maxChars) => firstSentence(description, maxChars)),
    signature: memoized(argumentsOf),
    parameters: memoized(parameterNamesOf),
  };
  for (const list of namesFit ? startingFrom[options.detail ?? 'full'] : asCounts) {
    const listing = list(entries, frame);
    if (listing !== undefined && fits(listing, options)) return listing;
  }
  return { tools: [], notes: [] };
}

/** Reuses a text that already fits. Most texts were not cut at all. */
function memoized(describe: Describe): Describe {
  const known = new Map<Tool, string>();
  return (tool, maxChars) => {
    const before = known.get(tool);
    if (before !== undefined && before.length <= maxChars) return before;
    const text = describe(tool, maxChars);
    known.set(tool, text);
    return text;
  };
}

function inFull(entries: readonly ListedTool[], options: ListingOptions): ToolListing | undefined {
  const tools = mapWithinBudget(entries, options, ({ toolbox, server, tool }) => ({
    ...pruneTool(tool),
    toolbox,
    server,
  }));
  return tools && { tools, notes: [] };
}

/** Output schemas are dropped first: a call needs only the input schema. */
function withoutOutputs(entries: readonly ListedTool[], options: ListingOptions): ToolListing | undefined {
  const tools = mapWithinBudget(entries, options, ({ toolbox, server, tool }) => {
    const { outputSchema: _, ...shown } = pruneTool(tool);
    return { ...shown, toolbox, server };
  });
  return tools && { tools, notes: reducedNotes(entries, options, 'inputs') };
}

function withSignatures(signatureChars: number, descriptionChars: number): List {
  return (entries, options) => {
    const rows = table(entries, options, ['name', 'description', 'signature'], ({ tool }) => [
      tool.name,
      options.sentence(tool, descriptionChars),
      options.signature(tool, signatureChars),
    ]);
    return rows && { ...rows, notes: reducedNotes(entries, options, 'signatures') };
  };
}

function withParameters(maxChars: number): List {
  return (entries, options) => {
    const cells = ({ tool }: ListedTool) => [tool.name, options.parameters(tool, maxChars)];
    const rows = table(entries, options, ['name', 'parameters'], cells);
    return rows && { ...rows, notes: reducedNotes(entries, options, 'parameters') };
  };
}

function withNames(entries: readonly ListedTool[], options: ListingOptions): ToolListing | undefined {
  const rows = table(entries, options, ['name'], ({ tool }) => [tool.name]);
  return rows && { ...rows, notes: reducedNotes(entries, options, 'names') };
}

function countsPerServer(entries: readonly ListedTool[], options: ListingOptions): ToolListing | undefined {
  // Nested maps, because names may contain any character: a joined key would be ambiguous.
  const counts = new Map<string, Map<string, { first: ListedTool; count: number }>>();
  for (const entry of entries) {
    const servers = counts.get(entry.toolbox) ?? new Map<string, { first: ListedTool; count: number }>();
    counts.set(entry.toolbox, servers);
    servers.set(entry.server, { first: entry, count: (servers.get(entry.server)?.count ?? 0) + 1 });
  }
  const perServer = [...counts.values()].flatMap((servers) => [...servers.values()]);
  const numbers = perServer.map(({ count }) => String(count));
  const rows = table(
    perServer.map(({ first }) => first),
    options,
    ['tools'],
    (_, index) => [numbers[index] ?? ''],
  );
  return rows && { ...rows, notes: [countNote(entries, options)] };
}

function countOnly(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  return { tools: [], notes: [countNote(entries, options)] };
}

function countInBrief({ length }: readonly ListedTool[]): ToolListing {
  return { tools: [], notes: [`${length} tools: use query`] };
}

function table(
  entries: readonly ListedTool[],
  options: ListingOptions,
  columns: readonly string[],
  cells: (entry: ListedTool, index: number) => string[],
): Pick<ToolListing, 'tools' | 'columns' | 'rows'> | undefined {
  const { withToolbox } = options;
  const rows = mapWithinBudget(entries, options, (entry, index) => [
    ...placeCells(entry, withToolbox),
    ...cells(entry, index),
  ]);
  return rows && { tools: [], columns: [...placeColumns(withToolbox), ...columns], rows };
}

/** Maps every entry; undefined, without mapping the rest, once the results exceed the budget. */
function mapWithinBudget<T>(
  entries: readonly ListedTool[],
  { budgetChars, overheadChars }: Room,
  make: (entry: ListedTool, index: number) => T,
): T[] | undefined {
  const made: T[] = [];
  let room = budgetChars - overheadChars;
  for (const [index, entry] of entries.entries()) {
    const one = make(entry, index);
    room -= jsonChars(one);
    if (room < 0) return undefined;
    made.push(one);
  }
  return made;
}
