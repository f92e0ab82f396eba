import { assemble, reserveFor } from './assemble.js';
import { countInBrief, countOnly, countsPerServer } from './counts.js';
import { charsOf, fits, type ListedTool, markingAsks, type ToolListing } from './listed-tool.js';
import { showInShares } from './show-in-shares.js';
import { spendRest } from './spend-rest.js';
import { createViews, type ListingDetail, type ListingOptions, type View, type Views } from './tool-views.js';

export type { ListingDetail, ListingOptions } from './tool-views.js';

/** How each listed tool is shown. Undefined if they do not fit in this way. */
type Show = (entries: readonly ListedTool[], views: Views) => Promise<Map<ListedTool, View> | undefined>;

const attempts: Readonly<Record<ListingDetail, readonly Show[]>> = {
  full: [allAs('full'), allAs('inputs'), allAs('schema'), showInShares],
  signatures: [showInShares],
  names: [showInShares],
};

/**
 * Lists tools in the given order, in as much detail as the budget of the answer allows. If not all fit, the servers that need
 * more than their share, and of these the largest tools, are shown with less detail first: none must crowd out the others.
 */
export async function listTools(entries: readonly ListedTool[], options: ListingOptions): Promise<ToolListing> {
  if (entries.length === 0) return { tools: [], notes: [] };
  const views = await createViews(entries, markingAsks(options, entries));
  for (const show of attempts[options.detail ?? 'full']) {
    const shown = await show(entries, views);
    const listing = shown && assemble(entries, shown, views);
    if (shown === undefined || listing === undefined || !fits(listing, options)) continue;
    const left = options.budgetChars - options.overheadChars - charsOf(listing, options);
    const fuller = (await spendRest(entries, shown, left, views)) && assemble(entries, shown, views);
    return fuller && fits(fuller, options) ? fuller : listing;
  }
  const counts = [countsPerServer, countOnly, countInBrief].map((count) => count(entries, options));
  return counts.find((listing) => fits(listing, options)) ?? { tools: [], notes: [] };
}

/** All in the same way; gives up, without looking at the rest, once they exceed the room. */
function allAs(kind: 'full' | 'inputs' | 'schema'): Show {
  return async (entries, views) => {
    const { budgetChars, overheadChars } = views.options;
    // The last comma does not count, nor the empty cells of a column that is left out.
    const spare = kind === 'schema' ? reserveFor.emptyCell * entries.length + 1 : 1;
    let left = budgetChars - overheadChars + spare;
    const shown = new Map<ListedTool, View>();
    for (const entry of entries) {
      if (views.slices.isOver()) await views.slices.next();
      const view = views[kind](entry);
      left -= view.size;
      if (left < 0) return undefined;
      shown.set(entry, view);
    }
    return shown;
  };
}
