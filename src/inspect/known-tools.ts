import { writtenRules } from '../config/resolve/tool-rules.js';
import { readToolSummary, type ToolSummary } from '../downstream/cache/tool-cache-summary.js';
import { judgeTools } from '../workbench/rules/judge-tools.js';
import { type JudgedTool, judgeOf } from '../workbench/rules/verdict.js';
import type { CompareWithLock, LockChanges } from './lock-changes.js';
import type { WrittenServer } from './written-servers.js';

/** The tools of a server that pass its filters and rules, as it listed them last. */
export interface KnownTools<T = ToolSummary['tools'][number]> {
  readonly tools: readonly T[];
  /** Names of the tools that ask a person before each call, and of the denied ones. */
  readonly asks: readonly string[];
  readonly denied: readonly string[];
  /** Undefined if nothing has changed since it was approved. */
  readonly changes: LockChanges | undefined;
}

/** `digestOf`: of what is locked of a tool. */
export function reachableTools<T extends JudgedTool>(
  listed: readonly T[],
  { toolbox, server, entry, defaults }: WrittenServer,
  compare: CompareWithLock,
  digestOf: (tool: T) => string | undefined,
): KnownTools<T> {
  const { tools, asks, withheld } = judgeTools(listed, judgeOf(writtenRules(entry, defaults)));
  const compared = (entry.lock ?? defaults?.lock) === 'off' ? [] : tools;
  return {
    tools,
    asks: [...asks],
    denied: [...withheld].filter(([, verdict]) => verdict === 'denied').map(([name]) => name),
    changes: compare(
      { toolbox, server },
      compared.map((tool) => [tool.name, digestOf(tool)]),
    ),
  };
}

/** Read from the head of the file in which they are kept, without their schemas. `directory`: of these files. */
export function knownTools(directory: string, server: WrittenServer, compare: CompareWithLock) {
  const summary = readToolSummary(directory, server);
  if (summary === undefined) return undefined;
  const reachable = reachableTools(summary.tools, server, compare, ({ digest }) => digest);
  const tokens = reachable.tools.reduce((sum, one) => sum + one.tokens, 0);
  const { at, package: from } = summary;
  return { at, tokens, package: from, approvedPackage: from && compare.packageOf(server), ...reachable };
}
