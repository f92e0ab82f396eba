import type { Tool, ToolInfo } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';

/** A tool with its toolbox and server. */
export interface ListedTool {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: Tool;
  /** Whether a person is asked before each call. */
  readonly asks?: true;
}

/** A text, or a schema. */
export type Cell = string | JsonObject;

/** The part of an answer that lists tools, each as an object with its schemas or as a row. */
export interface ToolListing {
  tools: ToolInfo[];
  columns?: string[];
  rows?: Cell[][];
  /** What was reduced, and how to get more. */
  notes: string[];
}

/** The size limit of an answer. */
export interface Budget {
  /** Maximum length of the whole answer as JSON. */
  readonly budgetChars: number;
  /** Counts UTF-8 bytes instead of characters, as some clients do. */
  readonly inBytes?: boolean | undefined;
  /** Whether the client shows no more; otherwise the setting is the limit. */
  readonly byClient?: boolean | undefined;
}

/** The size limit of a listing. */
export interface Room extends Budget {
  /** Length of the answer as JSON before any tool is listed: `"tools":[]`, no columns, no rows. */
  readonly overheadChars: number;
}

type Unit = Pick<Budget, 'inBytes'>;

const nothingListed = jsonChars({ tools: [] });

/** What a listing adds to the JSON of an answer; a few characters less if the answer already has notes. */
export function charsOf({ notes, ...listing }: ToolListing, unit?: Unit): number {
  return jsonChars(notes.length === 0 ? listing : { ...listing, notes }, unit) - nothingListed;
}

export function fits(listing: ToolListing, room: Room): boolean {
  return room.overheadChars + charsOf(listing, room) <= room.budgetChars;
}

/** The length of a value as JSON; infinite if it is nested too deeply to serialize. */
export function jsonChars(value: unknown, unit?: Unit): number {
  try {
    const json = JSON.stringify(value);
    return unit?.inBytes ? Buffer.byteLength(json) : json.length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** What rows have before the name of a tool. */
export interface RowOptions {
  /** Adds a column with the toolbox of each tool. */
  readonly withToolbox?: boolean | undefined;
  /** Adds a column that marks the tools that ask. */
  readonly withAsks?: boolean | undefined;
}

/** The same options, with a column for tools that ask if there is one. */
export function markingAsks<T extends RowOptions>(options: T, entries: readonly ListedTool[]): T & RowOptions {
  return entries.some(({ asks }) => asks) ? { ...options, withAsks: true } : options;
}

/** The columns for a tool's toolbox and server, and whether it asks. */
export function placeColumns({ withToolbox, withAsks }: RowOptions): string[] {
  return [...(withToolbox ? ['toolbox'] : []), 'server', ...(withAsks ? ['asks'] : [])];
}

export function placeCells({ toolbox, server, asks }: ListedTool, { withToolbox, withAsks }: RowOptions): string[] {
  const place = withToolbox ? [toolbox, server] : [server];
  if (withAsks) place.push(asks ? 'true' : '');
  return place;
}
