import type { Tool, ToolInfo } from '../../contract/types.js';

/** A tool with its toolbox and server. */
export interface ListedTool {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: Tool;
}

/** The part of an answer that lists tools, each as an object with its schemas or as a row. */
export interface ToolListing {
  tools: ToolInfo[];
  columns?: string[];
  rows?: string[][];
  /** What was reduced, and how to get more. */
  notes: string[];
}

/** The size limit of a listing. */
export interface Room {
  /** Maximum length of the whole answer as JSON. */
  readonly budgetChars: number;
  /** Length of the answer as JSON before any tool is listed: `"tools":[]`, no columns, no rows. */
  readonly overheadChars: number;
}

const nothingListed = jsonChars({ tools: [] });

/** Characters that a listing adds to the JSON of an answer; a few less if the answer already has notes. */
export function charsOf({ notes, ...listing }: ToolListing): number {
  return jsonChars(notes.length === 0 ? listing : { ...listing, notes }) - nothingListed;
}

export function fits(listing: ToolListing, { budgetChars, overheadChars }: Room): boolean {
  return overheadChars + charsOf(listing) <= budgetChars;
}

/** The length of a value as JSON; infinite if it is nested too deeply to serialize. */
export function jsonChars(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The columns for a tool's toolbox and server. */
export function placeColumns(withToolbox: boolean | undefined): string[] {
  return withToolbox ? ['toolbox', 'server'] : ['server'];
}

export function placeCells({ toolbox, server }: ListedTool, withToolbox: boolean | undefined): string[] {
  return withToolbox ? [toolbox, server] : [server];
}
