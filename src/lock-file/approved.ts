import { copyHash, lockedCopy, textHash, toolHash } from '../workbench/ports/locked-tool.js';
import type { Approved, FirstSight } from '../workbench/ports/tool-lock.js';
import type { LockedServer } from './lock-document.js';

/** What is written for a server. */
export function lockedServer({ toolbox, server, tools, instructions }: FirstSight): LockedServer {
  return {
    toolbox,
    server,
    ...(instructions !== undefined && { instructions: { sha256: textHash(instructions), text: instructions } }),
    tools: tools.map((tool) => ({ sha256: toolHash(tool), tool: { ...lockedCopy(tool), name: tool.name } })),
  };
}

/**
 * What an entry approves. A digest that is not that of its copy approves nothing: who reviews a lock file reads the copy. The
 * tool stays known, so that it counts as changed.
 */
export function approvedIn({ tools, instructions }: LockedServer): Approved {
  const approved = new Map<string, Set<string>>();
  for (const { sha256, tool } of tools) {
    const digests = approved.get(tool.name) ?? new Set();
    approved.set(tool.name, digests);
    if (copyHash(tool) === sha256) digests.add(sha256);
  }
  const isWhole = instructions !== undefined && textHash(instructions.text) === instructions.sha256;
  return { tools: approved, instructions: new Set(isWhole ? [instructions.sha256] : []) };
}

/** What any of them approves is approved. */
export function joined(all: readonly Approved[]): Approved {
  const [first, ...others] = all;
  if (first !== undefined && others.length === 0) return first;
  const tools = new Map<string, Set<string>>();
  for (const one of all)
    for (const [name, digests] of one.tools) tools.set(name, new Set([...(tools.get(name) ?? []), ...digests]));
  return { tools, instructions: new Set(all.flatMap(({ instructions }) => [...instructions])) };
}
