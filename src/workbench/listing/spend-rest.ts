import { reserveFor } from './assemble.js';
import { fitRow, richestRow } from './fit-row.js';
import type { ListedTool } from './listed-tool.js';
import { compareSizes } from './shares.js';
import { showNames } from './show-in-shares.js';
import type { View, Views } from './tool-views.js';

/** An answer that uses less of its budget shows more of some tools. */
const usedPart = 0.85;

/** What a tool can be shown as instead, if there is room. */
type More = (entry: ListedTool, room: number, views: Views) => View;
const more: readonly More[] = [
  fitRow,
  (entry, _, views) => views.full(entry),
  (entry, _, views) => views.inputs(entry),
];

/**
 * Shows more of some tools, the smallest first, while much of the budget is left: where parts of a tool are large, fair shares leave
 * room that none of them can use. Returns whether anything has changed.
 */
export async function spendRest(
  entries: readonly ListedTool[],
  shown: Map<ListedTool, View>,
  leftChars: number,
  views: Views,
): Promise<boolean> {
  const enough = views.options.budgetChars * (1 - usedPart);
  const unlisted = entries.filter((entry) => !shown.has(entry));
  let left = leftChars - showNames(unlisted, leftChars - reserveFor.changes, views, shown);
  let hasChanged = left < leftChars;
  if ((views.options.detail ?? 'full') !== 'full' || left <= enough) return hasChanged;
  const sized: { readonly entry: ListedTool; readonly size: number }[] = [];
  for (const entry of shown.keys()) {
    if (views.slices.isOver()) await views.slices.next();
    sized.push({ entry, size: richestRow(entry, views).size });
  }
  sized.sort((a, b) => compareSizes(a.size, b.size));
  for (const richer of more) {
    for (const { entry } of sized) {
      const before = shown.get(entry);
      if (left <= enough) return hasChanged;
      if (before === undefined || before.shown === 'full') continue;
      if (views.slices.isOver()) await views.slices.next();
      const room = left - reserveFor.changes;
      const view = richer(entry, before.size + room, views);
      const added = view.size - before.size;
      if (added <= 0 || added > room) continue;
      shown.set(entry, view);
      left -= added;
      hasChanged = true;
    }
  }
  return hasChanged;
}
