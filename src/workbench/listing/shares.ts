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

export interface Shares<T> {
  /** Those that need no more than their share, in order. */
  readonly within: readonly T[];
  readonly over: readonly T[];
}

/** Divides room equally; what one does not need is divided among the others. `sizes` are in the order of `all`. */
export function shareOut<T>(all: readonly T[], sizes: readonly number[], room: number): Shares<T> {
  const bySize = all.map((_, index) => index).sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  const within = new Set<number>();
  let left = room;
  for (const [place, index] of bySize.entries()) {
    const size = sizes[index] ?? 0;
    if (size > left / (all.length - place)) break;
    within.add(index);
    left -= size;
  }
  return { within: all.filter((_, index) => within.has(index)), over: all.filter((_, index) => !within.has(index)) };
}
