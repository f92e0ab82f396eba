import { firstSentence } from './first-sentence.js';
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
  /** The most that is told of a tool; without it, all that fits. */
  readonly detail?: ListingDetail;
  /** Says in each row which toolbox a tool belongs to. */
  readonly withToolbox?: boolean;
}

type List = (entries: readonly ListedTool[], options: ListingOptions) => ToolListing;

// From the most that can be told to the least. The first with which the whole answer fits is taken, for all tools alike:
// in a mixed listing, what is told of one tool would depend on the sizes of the others.
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

/** Lists tools in as much detail as the budget of the answer allows, in the order they are given. */
export function listTools(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  if (entries.length === 0) return { tools: [], notes: [] };
  // Where not even the names fit, nothing that tells more needs to be tried: thousands of tools are dealt with fast.
  const namesFit = options.overheadChars + jsonChars(entries.map(({ tool }) => tool.name)) <= options.budgetChars;
  for (const list of namesFit ? startingFrom[options.detail ?? 'full'] : asCounts) {
    const listing = list(entries, options);
    if (fits(listing, options)) return listing;
  }
  return { tools: [], notes: [] };
}

function inFull(entries: readonly ListedTool[]): ToolListing {
  return { tools: entries.map(({ toolbox, server, tool }) => ({ ...pruneTool(tool), toolbox, server })), notes: [] };
}

/** What goes in matters before a call, what comes out is seen after it. */
function withoutOutputs(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  const { tools } = inFull(entries);
  for (const tool of tools) delete tool.outputSchema;
  return { tools, notes: reducedNotes(entries, options, 'inputs') };
}

function withSignatures(signatureChars: number, descriptionChars: number): List {
  return (entries, options) => ({
    ...table(entries, options, ['name', 'description', 'signature'], ({ tool }) => [
      tool.name,
      firstSentence(tool.description, descriptionChars),
      argumentsOf(tool, signatureChars),
    ]),
    notes: reducedNotes(entries, options, 'signatures'),
  });
}

function withParameters(mostChars: number): List {
  return (entries, options) => ({
    ...table(entries, options, ['name', 'parameters'], ({ tool }) => [tool.name, parameterNamesOf(tool, mostChars)]),
    notes: reducedNotes(entries, options, 'parameters'),
  });
}

function withNames(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  return {
    ...table(entries, options, ['name'], ({ tool }) => [tool.name]),
    notes: reducedNotes(entries, options, 'names'),
  };
}

function countsPerServer(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  // Nested, because any character may stand in a name: no joined key could tell two servers apart.
  const counts = new Map<string, Map<string, { first: ListedTool; count: number }>>();
  for (const entry of entries) {
    const servers = counts.get(entry.toolbox) ?? new Map<string, { first: ListedTool; count: number }>();
    counts.set(entry.toolbox, servers);
    servers.set(entry.server, { first: entry, count: (servers.get(entry.server)?.count ?? 0) + 1 });
  }
  const perServer = [...counts.values()].flatMap((servers) => [...servers.values()]);
  const numbers = perServer.map(({ count }) => String(count));
  return {
    ...table(
      perServer.map(({ first }) => first),
      options,
      ['tools'],
      (_, index) => [numbers[index] ?? ''],
    ),
    notes: [countNote(entries, options)],
  };
}

function countOnly(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  return { tools: [], notes: [countNote(entries, options)] };
}

function countInBrief({ length }: readonly ListedTool[]): ToolListing {
  return { tools: [], notes: [`${length} tools: use query`] };
}

function table(
  entries: readonly ListedTool[],
  { withToolbox }: ListingOptions,
  columns: readonly string[],
  cells: (entry: ListedTool, index: number) => string[],
): Pick<ToolListing, 'tools' | 'columns' | 'rows'> {
  return {
    tools: [],
    columns: [...placeColumns(withToolbox), ...columns],
    rows: entries.map((entry, index) => [...placeCells(entry, withToolbox), ...cells(entry, index)]),
  };
}
