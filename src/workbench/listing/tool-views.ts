import type { Tool, ToolInfo } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import { maxListingWork } from '../../limits.js';
import { inSlices, type Slices } from '../../platform/slices.js';
import { plainDescription, sharedSentences, withoutSentences } from './description.js';
import { type Cell, jsonChars, type ListedTool, placeCells, type Room, type RowOptions } from './listed-tool.js';
import { pruneSchema, pruneTool } from './prune-schema.js';
import { byServer } from './shares.js';
import { argumentsOf } from './signature.js';
import type { Effort } from './type-text.js';

export type ListingDetail = 'full' | 'signatures' | 'names';

export interface ListingOptions extends Room, RowOptions {
  /** The highest level of detail; by default, as much as fits. */
  readonly detail?: ListingDetail;
}

const longestSignature = 16_000;
/** So many times the budget is read of a description: more can never be shown. */
const roomForWhiteSpace = 4;

/** From most to least detail. */
export type Shown = 'full' | 'inputs' | 'schemas' | 'signatures' | 'names';

/** A tool as it is shown: an object, or the cells of a row. */
export interface View {
  readonly shown: Shown;
  readonly content: ToolInfo | Cell[];
  /** Its length as JSON, with a comma. */
  readonly size: number;
}

/** The views of tools that do not depend on the room, and what the others are made of. */
export interface Views {
  readonly options: ListingOptions;
  full(entry: ListedTool): View;
  /** Without the output schema: a call needs only the input schema. */
  inputs(entry: ListedTool): View;
  /** A row with the whole input schema, without what no call needs. */
  schema(entry: ListedTool): View;
  name(entry: ListedTool): View;
  view(shown: Shown, content: ToolInfo | Cell[]): View;
  /** The description for a row, without what most tools of the server have in theirs. */
  description(entry: ListedTool): string;
  /** Without descriptions of parameters. */
  signature(entry: ListedTool): string;
  /** The sentences that are left out of these descriptions. */
  readonly shared: ReadonlyMap<ListedTool, ReadonlySet<string>>;
  /** Shared by all tools: schemas that are costly to describe are described in brief once it is spent. */
  readonly effort: Effort;
  /** The same for descriptions of parameters, which come last. */
  readonly effortForComments: Effort;
  /** Thousands of tools are described while others are served. */
  readonly slices: Slices;
}

export async function createViews(entries: readonly ListedTool[], options: ListingOptions): Promise<Views> {
  const { budgetChars } = options;
  const slices = inSlices();
  const effort = { left: maxListingWork };
  const shared = new Map<ListedTool, ReadonlySet<string>>();
  for (const tools of byServer(entries)) {
    const sentences = await sharedSentences(
      tools.map(({ tool }) => tool),
      slices,
    );
    if (sentences.size > 0) for (const entry of tools) shared.set(entry, sentences);
  }
  const view: Views['view'] = (shown, content) => ({ shown, content, size: jsonChars(content, options) + 1 });
  return {
    options,
    view,
    full: (entry) => view('full', { ...pruneTool(entry.tool), ...placeOf(entry) }),
    inputs(entry) {
      const { outputSchema: _, ...rest } = pruneTool(entry.tool);
      return view('inputs', { ...rest, ...placeOf(entry) });
    },
    schema: memoized((entry) => view('schemas', schemaCells(entry, options, entry.tool.description ?? ''))),
    name: memoized((entry) => view('names', [...placeCells(entry, options), entry.tool.name])),
    description: memoized((entry) => {
      const text = plainDescription(entry.tool, budgetChars * roomForWhiteSpace);
      return withoutSentences(text, shared.get(entry) ?? new Set());
    }),
    signature: memoized(({ tool }) => argumentsOf(tool, longestSignature, effort)),
    shared,
    effort,
    effortForComments: { left: maxListingWork },
    slices,
  };
}

/** What the workbench says about a tool: a field of the same name that its server sent does not count. */
function placeOf({ toolbox, server, tool, asks }: ListedTool): Pick<ToolInfo, 'toolbox' | 'server' | 'asks'> {
  if (asks) return { toolbox, server, asks };
  return 'asks' in tool ? { toolbox, server, asks: undefined } : { toolbox, server };
}

/** In the columns name, description, signature and inputSchema; the signature is empty. */
export function schemaCells(entry: ListedTool, options: RowOptions, description: string): Cell[] {
  return [...placeCells(entry, options), entry.tool.name, description, '', inputSchemaOf(entry.tool)];
}

function inputSchemaOf({ inputSchema }: Tool): JsonObject {
  const { $schema: _, title: __, ...schema } = pruneSchema(inputSchema);
  return schema;
}

function memoized<T>(make: (entry: ListedTool) => T): (entry: ListedTool) => T {
  const known = new Map<ListedTool, T>();
  return (entry) => {
    const made = known.get(entry) ?? make(entry);
    known.set(entry, made);
    return made;
  };
}
