import type { Tool, ToolInfo } from '../../contract/types.js';
import { maxListingWork } from '../../limits.js';
import { inSlices, type Slices } from '../../platform/slices.js';
import { firstSentence } from '../../text/first-sentence.js';
import { jsonChars, type ListedTool, placeCells, placeColumns, type Room, type ToolListing } from './listed-tool.js';
import { reducedNotes } from './notes.js';
import { pruneTool } from './prune-schema.js';
import { argumentsOf, parameterNamesOf } from './signature.js';

export type ListingDetail = 'full' | 'signatures' | 'names';

export interface ListingOptions extends Room {
  /** The highest level of detail; by default, as much as fits. */
  readonly detail?: ListingDetail;
  /** Adds a column with the toolbox of each tool. */
  readonly withToolbox?: boolean;
}

/** Shared by all levels of detail. */
export interface Frame extends ListingOptions {
  readonly sentence: Describe;
  readonly signature: Describe;
  readonly parameters: Describe;
  /** Thousands of tools are described while others are served. */
  readonly slices: Slices;
}

type Describe = (tool: Tool, maxChars: number) => string;

export function frameOf(options: ListingOptions): Frame {
  // Shared by all tools: schemas that are costly to describe are described in brief once it is spent.
  const effort = { left: maxListingWork };
  return {
    ...options,
    sentence: memoized(({ description }, maxChars) => firstSentence(description, maxChars)),
    signature: memoized((tool, maxChars) => argumentsOf(tool, maxChars, effort)),
    parameters: memoized((tool, maxChars) => parameterNamesOf(tool, maxChars, effort)),
    slices: inSlices(),
  };
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

/** How tools are shown: as objects, or as cells in rows. */
export interface Level {
  readonly shown: Parameters<typeof reducedNotes>[2] | 'full';
  /** The columns after those of the place; none for objects. */
  readonly columns: readonly string[];
  make(entry: ListedTool, frame: Frame): ToolInfo | string[];
}

const full: Level = {
  shown: 'full',
  columns: [],
  make: ({ toolbox, server, tool }) => ({ ...pruneTool(tool), toolbox, server }),
};

/** Output schemas are dropped first: a call needs only the input schema. */
const inputs: Level = {
  shown: 'inputs',
  columns: [],
  make({ toolbox, server, tool }) {
    const { outputSchema: _, ...rest } = pruneTool(tool);
    return { ...rest, toolbox, server };
  },
};

function withSignatures(signatureChars: number, descriptionChars: number): Level {
  return {
    shown: 'signatures',
    columns: ['name', 'description', 'signature'],
    make: (entry, frame) => [
      ...placeCells(entry, frame.withToolbox),
      entry.tool.name,
      frame.sentence(entry.tool, descriptionChars),
      frame.signature(entry.tool, signatureChars),
    ],
  };
}

function withParameters(maxChars: number): Level {
  return {
    shown: 'parameters',
    columns: ['name', 'parameters'],
    make: (entry, frame) => [
      ...placeCells(entry, frame.withToolbox),
      entry.tool.name,
      frame.parameters(entry.tool, maxChars),
    ],
  };
}

const names: Level = {
  shown: 'names',
  columns: ['name'],
  make: (entry, { withToolbox }) => [...placeCells(entry, withToolbox), entry.tool.name],
};

/** From most to least detail. */
export const levels = {
  objects: [full, inputs],
  signatures: [
    withSignatures(16_000, 160),
    withSignatures(4_000, 160),
    withSignatures(1_500, 160),
    withSignatures(600, 160),
    withSignatures(300, 120),
    withSignatures(150, 80),
  ],
  parameters: [withParameters(400), withParameters(150)],
  names: [names],
} as const satisfies Record<string, readonly Level[]>;

/** All entries at one level; undefined, without describing the rest, once they exceed the room. */
export async function listAt(
  level: Level,
  entries: readonly ListedTool[],
  frame: Frame,
  roomChars: number,
): Promise<ToolListing | undefined> {
  const tools: ToolInfo[] = [];
  const rows: string[][] = [];
  let room = roomChars;
  for (const entry of entries) {
    if (frame.slices.isOver()) await frame.slices.next();
    const one = level.make(entry, frame);
    room -= jsonChars(one) + 1;
    // The last comma does not count.
    if (room < -1) return undefined;
    if (Array.isArray(one)) rows.push(one);
    else tools.push(one);
  }
  const notes = level.shown === 'full' || entries.length === 0 ? [] : reducedNotes(entries, frame, level.shown);
  if (level.columns.length === 0) return { tools, notes };
  return { tools, columns: [...placeColumns(frame.withToolbox), ...level.columns], rows, notes };
}
