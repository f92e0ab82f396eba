import type { Tool, ToolInfo } from '../../contract/types.js';

/** A tool and where it lives. */
export interface ListedTool {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: Tool;
}

/** The part of an answer that tells the tools, each either as an object with its schemas or as a row. */
export interface ToolListing {
  tools: ToolInfo[];
  columns?: string[];
  rows?: string[][];
  /** What was reduced, and how to get more; empty if there is nothing to say. */
  notes: string[];
}

/** How much room a listing has. */
export interface Room {
  /** Most characters of the whole answer as JSON. */
  readonly budgetChars: number;
  /** Characters of the answer as JSON with nothing listed yet: `"tools":[]`, no columns, no rows. */
  readonly overheadChars: number;
}

const nothingListed = jsonChars({ tools: [] });

/** Characters that a listing adds to the JSON of an answer. If the answer has notes of its own, it is a few less. */
export function charsOf({ notes, ...listing }: ToolListing): number {
  return jsonChars(notes.length === 0 ? listing : { ...listing, notes }) - nothingListed;
}

export function fits(listing: ToolListing, { budgetChars, overheadChars }: Room): boolean {
  return overheadChars + charsOf(listing) <= budgetChars;
}

/** The length of a value as JSON; infinite for one that is nested too deep to be written. */
export function jsonChars(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The columns that say where a tool lives. */
export function placeColumns(withToolbox: boolean | undefined): string[] {
  return withToolbox ? ['toolbox', 'server'] : ['server'];
}

export function placeCells({ toolbox, server }: ListedTool, withToolbox: boolean | undefined): string[] {
  return withToolbox ? [toolbox, server] : [server];
}
