import { mapInSlices } from '../../platform/slices.js';
import type { LockedServer } from './lock-document.js';
import { lockedCopy, textHash, toolHash } from './locked-tool.js';
import type { Approved, ApprovedTool, FirstSight } from './tool-lock.js';

/** What is written for a server. In slices: a listing may be as large as its limits. */
export async function lockedServer(seen: FirstSight): Promise<LockedServer> {
  const { toolbox, server, tools, instructions, package: from } = seen;
  const copies = await mapInSlices(tools, (tool) => ({
    sha256: toolHash(tool),
    tool: { ...lockedCopy(tool), name: tool.name },
  }));
  const text = instructions !== undefined && { instructions: { sha256: textHash(instructions), text: instructions } };
  return { toolbox, server, ...(from && { package: from }), ...text, tools: copies };
}

/** What entries of one server approve together. */
export function approvedIn(entries: readonly LockedServer[]): Approved {
  const tools = entries.flatMap((entry) => entry.tools);
  return {
    tools: byName(tools.map(({ sha256, tool }) => [tool.name, { copy: tool, sha256 }])),
    instructions: entries.flatMap(({ instructions }) => instructions?.text ?? []),
    package: entries.findLast((entry) => entry.package !== undefined)?.package,
  };
}

export function approvedAtFirst({ tools, instructions, package: from }: FirstSight): Approved {
  return {
    tools: byName(tools.map((tool) => [tool.name, { copy: tool }])),
    instructions: instructions === undefined ? [] : [instructions],
    package: from,
  };
}

function byName(entries: readonly [string, ApprovedTool][]): Map<string, ApprovedTool[]> {
  const tools = new Map<string, ApprovedTool[]>();
  for (const [name, tool] of entries) {
    const same = tools.get(name);
    if (same === undefined) tools.set(name, [tool]);
    else same.push(tool);
  }
  return tools;
}
