import { type ListedTool, placeCells, placeColumns, type ToolListing } from './listed-tool.js';
import { countNote } from './notes.js';
import { byServer } from './shares.js';
import type { ListingOptions } from './tool-views.js';

/** The number of tools of each server, where not even names fit. */
export function countsPerServer(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  const place = { withToolbox: options.withToolbox };
  const rows = byServer(entries).flatMap((tools) =>
    tools.slice(0, 1).map((first) => [...placeCells(first, place), String(tools.length)]),
  );
  return { tools: [], columns: [...placeColumns(place), 'tools'], rows, notes: [countNote(entries, options)] };
}

export function countOnly(entries: readonly ListedTool[], options: ListingOptions): ToolListing {
  return { tools: [], notes: [countNote(entries, options)] };
}

export function countInBrief({ length }: readonly ListedTool[]): ToolListing {
  return { tools: [], notes: [`${length} tools: use query`] };
}
