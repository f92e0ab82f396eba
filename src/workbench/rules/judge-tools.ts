import { lockedView } from '../../config/lock-file/locked-tool.js';
import type { ServerLock } from '../../config/lock-file/tool-lock.js';
import type { Tool } from '../../contract/types.js';
import { type JudgedTool, judgeWith, type RuledServer, type Verdict, type Withheld } from './verdict.js';

/** The tools of a server as the agent gets them. */
export interface JudgedTools<T extends JudgedTool = Tool> {
  /** The tools that exist for the agent, each name once: of two with the same name only the first can be called. */
  readonly tools: readonly T[];
  /** The names of the tools that need a person's approval before each call. */
  readonly asks: ReadonlySet<string>;
  /** The others, by name. */
  readonly withheld: ReadonlyMap<string, Withheld>;
}

const none: ReadonlySet<string> = new Set();

/** Of two tools with the same name the stricter verdict holds for both: a call names no more than that. */
export function judgeTools<T extends JudgedTool>(tools: readonly T[], judge: (tool: T) => Verdict): JudgedTools<T> {
  const byName = new Map<string, T>();
  const withheld = new Map<string, Withheld>();
  let asks: Set<string> | undefined;
  for (const tool of tools) {
    const verdict = judge(tool);
    if (verdict === 'asks') (asks ??= new Set()).add(tool.name);
    else if (verdict !== 'free') withheld.set(tool.name, verdict);
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  for (const name of withheld.keys()) {
    byName.delete(name);
    asks?.delete(name);
  }
  return { tools: [...byName.values()], asks: asks ?? none, withheld };
}

/** What a server lists as the agent gets it. Unless the lock is off, the agent reads only what is locked: no other field can change unnoticed. */
export function offeredTools(tools: readonly Tool[], server: RuledServer, lock: ServerLock | undefined): JudgedTools {
  const judged = judgeTools(tools, judgeWith(server, lock));
  const isLocked = lock !== undefined && (server.lock !== 'off' || lock.isEnforced(server.lock));
  return isLocked ? { ...judged, tools: judged.tools.map(lockedView) } : judged;
}

/** Whether the instructions of a server are not what was approved, and the lock is enforced. */
export function withholdsText(
  instructions: string | undefined,
  server: RuledServer,
  lock: ServerLock | undefined,
): boolean {
  return instructions !== undefined && lock?.isEnforced(server.lock) === true && !lock.isApproved(instructions);
}
