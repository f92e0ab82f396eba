import type { ConfigurationEdit } from '../edit/configuration-edit.js';
import type { Group } from './propose-groups.js';

/** A toolbox as it is: the number of its servers, and its description. */
export interface ToolboxNow {
  readonly size: number;
  readonly description: string | undefined;
}

interface Move {
  readonly toolbox: string;
  readonly server: string;
  readonly to: string;
}

/** The edits that make the groups of a configuration. None if they are there already. */
export function groupEdits(groups: readonly Group[], now: ReadonlyMap<string, ToolboxNow>): ConfigurationEdit[] {
  const sizes = new Map(Array.from(now, ([name, { size }]) => [name, size]));
  const described = new Map(groups.map(({ toolbox, description }) => [toolbox, description]));
  const waiting: Move[] = groups.flatMap(({ toolbox: to, servers }) =>
    servers.filter(({ toolbox }) => toolbox !== to).map(({ toolbox, server }) => ({ toolbox, server, to })),
  );
  const edits: ConfigurationEdit[] = [];
  const made = new Set<string>();
  while (waiting.length > 0) {
    // The last server of a toolbox takes it with it, so what still comes into it comes first.
    const at = waiting.findIndex(
      ({ toolbox }) => sizes.get(toolbox) !== 1 || !waiting.some(({ to }) => to === toolbox),
    );
    const [move] = waiting.splice(Math.max(0, at), 1);
    if (move === undefined) break;
    const { toolbox, server, to } = move;
    if (!sizes.has(to)) {
      edits.push({ kind: 'add toolbox', toolbox: to, description: described.get(to) });
      made.add(to);
    }
    edits.push({ kind: 'move server', toolbox, server, to });
    sizes.set(to, (sizes.get(to) ?? 0) + 1);
    sizes.set(toolbox, (sizes.get(toolbox) ?? 1) - 1);
    if (sizes.get(toolbox) === 0) sizes.delete(toolbox);
  }
  for (const { toolbox, description } of groups)
    if (description !== undefined && !made.has(toolbox) && now.get(toolbox)?.description !== description)
      edits.push({ kind: 'describe toolbox', toolbox, description });
  return edits;
}
