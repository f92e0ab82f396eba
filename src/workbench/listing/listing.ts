import { type Frame, frameOf, type Level, type ListingDetail, type ListingOptions, levels, listAt } from './levels.js';
import {
  charsOf,
  fits,
  jsonChars,
  type ListedTool,
  placeCells,
  placeColumns,
  type ToolListing,
} from './listed-tool.js';
import { countNote, reducedNotes, tooManyNote } from './notes.js';
import { byServer, shareOut } from './shares.js';

export type { ListingDetail, ListingOptions } from './levels.js';

/** Undefined if it does not fit. */
type List = (
  entries: readonly ListedTool[],
  frame: Frame,
) => Promise<ToolListing | undefined> | ToolListing | undefined;

/** For what is said about servers that are reduced. */
const notesChars = 1_000;

const inRows = [...levels.signatures, ...levels.parameters, ...levels.names];
const startingFrom: Readonly<Record<ListingDetail, readonly List[]>> = {
  full: [...levels.objects.map(uniform), smallServersInFull, rowsForAll],
  signatures: [rowsForAll],
  names: [...levels.names.map(uniform), withoutLargest],
};
const asCounts: readonly List[] = [countsPerServer, countOnly, countInBrief];

/**
 * Lists tools in the given order, in as much detail as the budget of the answer allows. If not all fit, the servers that need
 * more than their share are shown with less detail first: one server must not crowd out the others.
 */
export async function listTools(entries: readonly ListedTool[], options: ListingOptions): Promise<ToolListing> {
  if (entries.length === 0) return { tools: [], notes: [] };
  const frame = frameOf(options);
  for (const list of [...startingFrom[options.detail ?? 'full'], ...asCounts]) {
    const listing = await list(entries, frame);
    if (listing !== undefined && fits(listing, options)) return listing;
  }
  return { tools: [], notes: [] };
}

const roomOf = ({ budgetChars, overheadChars }: Frame) => budgetChars - overheadChars;

function uniform(level: Level): List {
  return (entries, frame) => listAt(level, entries, frame, roomOf(frame));
}

/** The size of each server's tools at a level; infinite for more than the room. */
async function sizesAt(
  level: Level,
  servers: readonly (readonly ListedTool[])[],
  frame: Frame,
  room: number,
): Promise<number[]> {
  const sizes: number[] = [];
  for (const entries of servers) {
    const listing = await listAt(level, entries, frame, room);
    sizes.push(listing === undefined ? Number.POSITIVE_INFINITY : jsonChars(listing.rows ?? listing.tools));
  }
  return sizes;
}

interface Division {
  readonly small: readonly ListedTool[];
  readonly large: readonly ListedTool[];
}

/** The tools of the servers that are within their share at this level, and those of the others. Undefined if it divides nothing. */
async function divide(level: Level, entries: readonly ListedTool[], frame: Frame): Promise<Division | undefined> {
  const servers = byServer(entries);
  const room = roomOf(frame) - notesChars;
  const { within, over } = shareOut(servers, await sizesAt(level, servers, frame, room), room);
  if (within.length === 0 || over.length === 0) return undefined;
  const small = new Set(within.flat());
  return { small: entries.filter((entry) => small.has(entry)), large: entries.filter((entry) => !small.has(entry)) };
}

/** Servers within their share in full, the others in rows. */
async function smallServersInFull(entries: readonly ListedTool[], frame: Frame): Promise<ToolListing | undefined> {
  const [level] = levels.objects;
  const divided = await divide(level, entries, frame);
  if (divided === undefined) return undefined;
  const shown = await listAt(level, divided.small, frame, roomOf(frame));
  if (shown === undefined) return undefined;
  const rest = { ...frame, overheadChars: frame.overheadChars + charsOf(shown) };
  const others = (await rowsForAll(divided.large, rest)) ?? countsPerServer(divided.large, rest);
  return { ...others, tools: shown.tools };
}

/** Rows with as much detail as possible, the same for all tools unless large servers leave too little for the others. */
async function rowsForAll(entries: readonly ListedTool[], frame: Frame): Promise<ToolListing | undefined> {
  const attempts: readonly List[] = [
    ...levels.signatures.map(uniform),
    ...levels.signatures.slice(-1).map(largestByName),
    ...inRows.slice(levels.signatures.length).map(uniform),
    withoutLargest,
  ];
  for (const list of namesFit(entries, frame) ? attempts : [withoutLargest]) {
    const listing = await list(entries, frame);
    if (listing !== undefined && fits(listing, frame)) return listing;
  }
  return undefined;
}

/** If not even the names fit, more detailed levels are skipped: this keeps thousands of tools fast. */
function namesFit(entries: readonly ListedTool[], frame: Frame): boolean {
  return jsonChars(entries.map(({ tool }) => tool.name)) <= roomOf(frame);
}

/** Servers over their share by name only, the others at this level. */
function largestByName(level: Level): List {
  return async (entries, frame) => {
    const divided = await divide(level, entries, frame);
    if (divided === undefined) return undefined;
    const [byName] = levels.names;
    const large = new Set(divided.large);
    // Rows of names end after the name.
    const make: Level['make'] = (entry, one) => (large.has(entry) ? byName : level).make(entry, one);
    const listing = await listAt({ ...level, make }, entries, frame, roomOf(frame));
    const [reduced = ''] = reducedNotes(divided.small, frame, 'signatures');
    return listing && { ...listing, notes: [reduced, ...reducedNotes(divided.large, frame, 'names')] };
  };
}

/** Servers whose names alone are over their share are only counted. */
async function withoutLargest(entries: readonly ListedTool[], frame: Frame): Promise<ToolListing | undefined> {
  const divided = await divide(levels.names[0], entries, frame);
  if (divided === undefined) return undefined;
  const notes = [tooManyNote(byServer(divided.large))];
  const rest = { ...frame, overheadChars: frame.overheadChars + jsonChars(notes) };
  for (const level of frame.detail === 'names' ? levels.names : inRows) {
    const listing = await listAt(level, divided.small, rest, roomOf(rest));
    if (listing !== undefined && fits(listing, rest)) return { ...listing, notes: [...listing.notes, ...notes] };
  }
  return undefined;
}

function countsPerServer(entries: readonly ListedTool[], frame: Frame): ToolListing {
  const { withToolbox } = frame;
  const rows = byServer(entries).flatMap((tools) =>
    tools.slice(0, 1).map((first) => [...placeCells(first, withToolbox), String(tools.length)]),
  );
  return { tools: [], columns: [...placeColumns(withToolbox), 'tools'], rows, notes: [countNote(entries, frame)] };
}

function countOnly(entries: readonly ListedTool[], frame: Frame): ToolListing {
  return { tools: [], notes: [countNote(entries, frame)] };
}

function countInBrief({ length }: readonly ListedTool[]): ToolListing {
  return { tools: [], notes: [`${length} tools: use query`] };
}
