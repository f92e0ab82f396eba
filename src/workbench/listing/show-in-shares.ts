import { reserveFor } from './assemble.js';
import { fitRow, richestRow } from './fit-row.js';
import type { ListedTool } from './listed-tool.js';
import { byServer, type Claim, divide, fairShares } from './shares.js';
import type { View, Views } from './tool-views.js';

/** Names come before the details of other servers, but those of one server only up to this part of the room: it can have any number. */
const mostForNames = 0.5;

interface Server {
  readonly entries: readonly ListedTool[];
  /** The size of its tools by name only. */
  readonly namesSize: number;
}

/**
 * In rows, each tool with as much detail as its share of the room allows. Names come before any detail; of a server with more
 * names than its share, the first ones are listed. Undefined if not one of each fits.
 */
export async function showInShares(
  entries: readonly ListedTool[],
  views: Views,
): Promise<Map<ListedTool, View> | undefined> {
  const { budgetChars, overheadChars } = views.options;
  const room = budgetChars - overheadChars - reserveFor.notes(entries, views);
  if (room <= 0) return undefined;
  const servers = byServer(entries).map((tools): Server => ({ entries: tools, namesSize: namesSize(tools, views) }));
  const needs: number[] = [];
  for (const server of servers) needs.push(await needOf(server, room, views));
  // One name of each server, however long it is, before the second of any.
  const firstNames = servers.map((server) => namesSize(server.entries.slice(0, 1), views));
  if (firstNames.reduce((sum, size) => sum + size, 0) > room) return undefined;
  const forNames = fairShares(
    servers.map((server) => Math.min(server.namesSize, room * mostForNames)),
    room,
    firstNames,
  );
  const shares = fairShares(needs, room, forNames);
  const shown = new Map<ListedTool, View>();
  const claims = servers.map((server, index) => ({
    need: needs[index] ?? 0,
    share: shares[index] ?? 0,
    use: (size: number) => showServer(server, size, views, shown),
  }));
  await divide(claims, room);
  return shown;
}

function namesSize(entries: readonly ListedTool[], views: Views): number {
  return entries.reduce((sum, entry) => sum + views.name(entry).size, 0);
}

/** What the tools of a server need at most, in rows. More than the room is not counted: this keeps thousands of tools fast. */
async function needOf({ entries, namesSize: names }: Server, room: number, views: Views): Promise<number> {
  if (names > room) return names;
  let need = 0;
  for (const entry of entries) {
    if (need > room) break;
    if (views.slices.isOver()) await views.slices.next();
    need += richestRow(entry, views).size;
  }
  return Math.max(names, need);
}

/** Shows the tools of a server, and returns the size of that. */
async function showServer(
  { entries, namesSize: names }: Server,
  room: number,
  views: Views,
  shown: Map<ListedTool, View>,
): Promise<number> {
  if (names > room) return showNames(entries, room, views, shown);
  const claims: Claim[] = [];
  for (const entry of entries) {
    if (views.slices.isOver()) await views.slices.next();
    const use = async (size: number) => {
      if (views.slices.isOver()) await views.slices.next();
      const view = fitRow(entry, size, views);
      shown.set(entry, view);
      return view.size;
    };
    claims.push({ need: richestRow(entry, views).size, share: views.name(entry).size, use });
  }
  await divide(claims, room);
  return entries.reduce((sum, entry) => sum + (shown.get(entry)?.size ?? 0), 0);
}

/** Shows the first of these tools by name, as many as fit, and returns the size of that. */
export function showNames(
  entries: readonly ListedTool[],
  room: number,
  views: Views,
  shown: Map<ListedTool, View>,
): number {
  let used = 0;
  for (const entry of entries) {
    const view = views.name(entry);
    if (used + view.size > room) break;
    shown.set(entry, view);
    used += view.size;
  }
  return used;
}
