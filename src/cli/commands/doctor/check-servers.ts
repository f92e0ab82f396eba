import type { ServerConfig } from '../../../config/config.js';
import { toolHash } from '../../../config/lock-file/locked-tool.js';
import { messageOf } from '../../../contract/errors.js';
import type { Tool } from '../../../contract/types.js';
import type { CompareWithLock } from '../../../inspect/lock-changes.js';
import { toolTokens } from '../../../results/tool-tokens.js';
import type { Observer, ReadyServer, ServerFailure } from '../../../workbench/ports/observer.js';
import { isReachable, judgeOf } from '../../../workbench/rules/verdict.js';
import type { ToolSnapshot } from '../../../workbench/servers/tool-list.js';
import { eachAtMost } from '../../frame/each-at-most.js';
import { ruleFacts } from '../../frame/screen/rule-words.js';
import type { CommandWorkbench } from '../../frame/with-workbench.js';
import { adviceFor } from './advice.js';
import type { ServerReport, WellServer } from './server-report.js';
import { uselessRules } from './useless-rules.js';

/** What is being started, by `performance.now()`. */
export type Running = Map<ServerConfig, number>;

/** Collects what is reported about servers that start. */
export interface StartRecords {
  readonly observer: Observer;
  readonly ready: Map<ServerConfig, ReadyServer>;
  readonly failed: Map<ServerConfig, ServerFailure>;
  /** All tools that servers have listed. */
  readonly listed: Tool[];
}

export function createStartRecords(): StartRecords {
  const ready = new Map<ServerConfig, ReadyServer>();
  const failed = new Map<ServerConfig, ServerFailure>();
  const observer: Observer = {
    report(event) {
      if (event.is === 'ready') ready.set(event.server, event);
      if (event.is === 'failed') failed.set(event.server, event);
    },
  };
  return { observer, ready, failed, listed: [] };
}

interface Wishes {
  /** Whether servers are started that may open a browser. */
  readonly mayOpenBrowser: boolean;
  readonly compare: CompareWithLock;
  /** A command of ours for a server, if it exists. */
  readonly command: (name: string, server: ServerConfig) => string | undefined;
}

/** Starts every server once, some at a time. The reports are in the order of the configuration. */
export async function checkServers(
  given: CommandWorkbench,
  records: StartRecords,
  running: Running,
  wishes: Wishes,
): Promise<readonly ServerReport[]> {
  const servers = [...given.config.toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
  return eachAtMost(servers, given.signal, async (server) => {
    running.set(server, performance.now());
    const report = await check(server, given, records, wishes);
    running.delete(server);
    return report;
  });
}

async function check(
  server: ServerConfig,
  { workbench, signal }: CommandWorkbench,
  { ready, failed, listed }: StartRecords,
  { mayOpenBrowser, command, compare }: Wishes,
): Promise<ServerReport> {
  const place = { toolbox: server.toolbox, server: server.name };
  if (server.disabled) return { ...place, state: 'disabled' };
  if (!mayOpenBrowser && opensBrowser(server)) return { ...place, state: 'skipped' };
  const began = performance.now();
  try {
    const { tools } = await workbench.inspect(place, { signal });
    const { startMs = 0, revision, software } = ready.get(server) ?? {};
    const answerMs = await workbench.roundTrip(place).catch(() => undefined);
    const times = { startMs: Math.round(startMs), ...(answerMs !== undefined && { latencyMs: Math.round(answerMs) }) };
    const tokens = tools.tools.reduce((sum, tool) => sum + toolTokens(tool), 0);
    const found = { revision, software, tools: tools.tools.length, tokens };
    listed.push(...tools.all);
    const ruled = ruledFacts(server, tools);
    return { ...place, state: 'well', ...times, ...found, ...ruled, ...differences(server, tools.all, compare) };
  } catch (error) {
    signal.throwIfAborted();
    const { kind, reason } = failed.get(server) ?? { kind: 'unreachable', reason: messageOf(error) };
    const advice = adviceFor(server, kind, reason, (name) => command(name, server));
    const state = kind === 'unauthorized' ? 'unauthorized' : 'failed';
    const afterMs = Math.round(performance.now() - began);
    return { ...place, state, afterMs, kind, reason, ...(advice !== undefined && { advice }) };
  }
}

/** Nothing, if the tools are what was approved. */
function differences(
  server: ServerConfig,
  listed: readonly Tool[],
  compare: CompareWithLock,
): Pick<WellServer, 'changed' | 'new'> {
  const judge = judgeOf(server);
  const reachable = listed.filter((tool) => server.lock !== 'off' && isReachable(judge(tool)));
  const digested = reachable.map((tool) => [tool.name, toolHash(tool)] as const);
  const changes = compare({ toolbox: server.toolbox, server: server.name }, digested);
  return changes === undefined ? {} : { changed: changes.changed, new: changes.added };
}

/** What rules say about its tools, and which of them say nothing. */
function ruledFacts(
  server: ServerConfig,
  { asks, withheld, all }: ToolSnapshot,
): Pick<WellServer, 'asks' | 'denied' | 'warnings'> {
  const denied = [...withheld].filter(([, verdict]) => verdict === 'denied').map(([name]) => name);
  const warnings = uselessRules(server, all);
  return { ...ruleFacts({ asks: [...asks], denied }), ...(warnings.length > 0 && { warnings }) };
}

/** The usual bridge to remote servers asks the user to log in as soon as it starts. */
export function opensBrowser({ target }: ServerConfig): boolean {
  const words = target.kind === 'stdio' ? [target.command, ...target.args] : [];
  return words.some((word) => /(?:^|[\\/])mcp-remote(?:@|$)/.test(word));
}
