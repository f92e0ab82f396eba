import type { ListedTool } from './listed-tool.js';

/** The tools of each server, in order. */
export function byServer(entries: readonly ListedTool[]): readonly (readonly ListedTool[])[] {
  // Nested maps, because names may contain any character: a joined key would be ambiguous.
  const toolboxes = new Map<string, Map<string, ListedTool[]>>();
  for (const entry of entries) {
    const servers = toolboxes.get(entry.toolbox) ?? new Map<string, ListedTool[]>();
    toolboxes.set(entry.toolbox, servers);
    const tools = servers.get(entry.server) ?? [];
    servers.set(entry.server, tools);
    tools.push(entry);
  }
  return [...toolboxes.values()].flatMap((servers) => [...servers.values()]);
}

/** Enough to find a level to a fraction of a character. */
const halvings = 50;

/**
 * The parts of the room for these needs: all get the same, but none more than it needs, and none less than its part in `least`. All of
 * `least` must fit.
 */
export function fairShares(needs: readonly number[], room: number, least: readonly number[] = []): number[] {
  const sharesAt = (level: number) => needs.map((need, index) => Math.max(least[index] ?? 0, Math.min(need, level)));
  let low = 0;
  let high = room;
  for (let step = 0; step < halvings; step++) {
    const level = (low + high) / 2;
    if (sharesAt(level).reduce((sum, share) => sum + share, 0) <= room) low = level;
    else high = level;
  }
  return sharesAt(low);
}

/** Something that can use room. */
export interface Claim {
  /** No more than this, which may be infinite. */
  readonly need: number;
  /** Its part of the room in any case. */
  readonly share: number;
  /** Uses at most this much and returns how much. */
  use(room: number): Promise<number> | number;
}

/** Gives all their shares, the smallest need first. What is left over, and what one does not use, is divided among the others. */
export async function divide(claims: readonly Claim[], room: number): Promise<void> {
  let left = claims.reduce((rest, { share }) => rest - share, room);
  const bySize = claims.toSorted((a, b) => compareSizes(a.need, b.need));
  for (const [place, claim] of bySize.entries()) {
    const { need, share } = claim;
    const allowed = Math.min(Math.max(need, share), share + Math.max(0, left) / (claims.length - place));
    left += share - (await claim.use(allowed));
  }
}

/** For sorting. Not a difference: two infinite sizes have none. */
export function compareSizes(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
