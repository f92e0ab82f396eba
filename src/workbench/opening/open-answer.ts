import type { OpenToolboxResult, WantedTool } from '../../contract/types.js';
import { omissionText } from '../../results/omissions.js';
import { nearest } from '../../text/nearest.js';
import { shorten } from '../../text/shorten.js';
import { shortenToSize } from '../listing/fit-text.js';
import { rowsFor } from '../listing/hit-rows.js';
import { type Budget, jsonChars, type ListedTool, type Room, type ToolListing } from '../listing/listed-tool.js';
import { type ListingDetail, listTools } from '../listing/listing.js';
import type { KnownTools } from '../ports/tool-cache.js';
import type { OfferedTools } from './catalog.js';

const longestInstructions = 2_000;
const maxHits = 30;
const maxMissingNotes = 10;

/** What the agent asked for, and how long the answer may be. */
export interface Request extends Budget {
  readonly query?: string;
  readonly tools?: readonly WantedTool[];
  readonly detail?: ListingDetail;
}

/** A server and its known tools. */
export interface DescribedServer extends KnownTools, Pick<OfferedTools, 'asks'> {
  readonly toolbox: string;
  readonly server: string;
}

export type Find = (text: string, limit: number) => Promise<readonly ListedTool[]>;

/** Adds the requested tools to an answer, in as much detail as its budget allows. */
export async function describeTools(
  frame: OpenToolboxResult,
  servers: readonly DescribedServer[],
  notes: readonly string[],
  request: Request,
  find: Find,
): Promise<OpenToolboxResult> {
  const all = servers.flatMap(({ toolbox, server, tools, asks }) =>
    tools.map(
      (tool): ListedTool => (asks.has(tool.name) ? { toolbox, server, tool, asks: true } : { toolbox, server, tool }),
    ),
  );
  const wanted = request.tools === undefined ? undefined : pick(all, request.tools);
  const shown = wanted?.found ?? all;
  const allNotes = [...notes, ...(wanted?.notes ?? []), ...omissionNotes(servers)];
  // Instructions are sent with the plain listing only, not with every query.
  const isPlainListing = request.tools === undefined && request.query === undefined;
  const instructions = isPlainListing ? instructionsOf(servers, request) : [];
  const base = { ...frame, ...(instructions.length > 0 && { instructions }) };
  const { budgetChars, inBytes, byClient } = request;
  const overheadChars = jsonChars(allNotes.length > 0 ? { ...base, notes: allNotes } : base, request);
  const room = { budgetChars, inBytes, byClient, overheadChars };
  const withToolbox = frame.toolbox === '*';
  const listing =
    request.query !== undefined && wanted === undefined
      ? await found(request.query, find, { ...room, withToolbox })
      : await listTools(shown, { ...room, withToolbox, ...(request.detail && { detail: request.detail }) });
  return assemble(base, listing, allNotes);
}

async function found(query: string, find: Find, room: Room & { readonly withToolbox: boolean }): Promise<ToolListing> {
  const hits = await find(query, maxHits);
  if (hits.length > 0) return rowsFor(hits, room);
  return { tools: [], notes: ['No tool matches this query. Try other words, or omit query to list all tools.'] };
}

function assemble(base: OpenToolboxResult, listing: ToolListing, notes: readonly string[]): OpenToolboxResult {
  const { tools, columns, rows } = listing;
  const allNotes = [...notes, ...listing.notes];
  return {
    ...base,
    tools,
    ...(columns !== undefined && { columns }),
    ...(rows !== undefined && { rows }),
    ...(allNotes.length > 0 && { notes: allNotes }),
  };
}

/** The named tools, and for each name that does not exist a note with the nearest ones. */
function pick(all: readonly ListedTool[], wanted: readonly WantedTool[]): { found: ListedTool[]; notes: string[] } {
  // In one pass over each: an agent may ask for any number of names.
  const byName = new Map<string, ListedTool[]>();
  for (const entry of all) byName.set(entry.tool.name, [...(byName.get(entry.tool.name) ?? []), entry]);
  const picked = new Set<ListedTool>();
  const missing: string[] = [];
  for (const want of wanted) {
    const { name, server } = typeof want === 'string' ? { name: want, server: undefined } : want;
    const named = byName.get(name)?.filter((entry) => server === undefined || entry.server === server) ?? [];
    for (const entry of named) picked.add(entry);
    if (named.length === 0) missing.push(name);
  }
  const notes = missing.slice(0, maxMissingNotes).map((name) => {
    const near = nearest(name, byName.keys());
    const hint = near.length > 0 ? ` Did you mean ${near.map((other) => `'${other}'`).join(' or ')}?` : '';
    return `Tool '${shorten(name, 100)}' not found.${hint}`;
  });
  if (missing.length > maxMissingNotes) notes.push(`${missing.length - maxMissingNotes} more were not found.`);
  return { found: all.filter((entry) => picked.has(entry)), notes };
}

function instructionsOf(servers: readonly DescribedServer[], budget: Budget): { server: string; text: string }[] {
  const texts = servers.flatMap(({ server, instructions }) => {
    const text = instructions?.trim();
    return text ? [{ server, text }] : [];
  });
  const share = Math.min(longestInstructions, Math.floor(budget.budgetChars / 4 / Math.max(1, texts.length)));
  return texts.map(({ server, text }) => ({ server, text: shortenToSize(text, share, budget) }));
}

/** What was left out of listings, or changed in them, before anything else. */
function omissionNotes(servers: readonly DescribedServer[]): string[] {
  return servers.flatMap(({ server, omissions }) => {
    const text = omissionText(omissions);
    return text === undefined ? [] : [`Server '${shorten(server, 100)}': ${text}.`];
  });
}
