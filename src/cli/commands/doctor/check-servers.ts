import type { ServerConfig } from '../../../config/config.js';
import { toolHash } from '../../../config/lock-file/locked-tool.js';
import { messageOf } from '../../../contract/errors.js';
import type { Tool } from '../../../contract/types.js';
import type { CompareWithLock } from '../../../inspect/lock-changes.js';
import { toolTokens } from '../../../results/tool-tokens.js';
import { type CommandSession, serverFailureIn } from '../../../session/command-session.js';
import type { Inspected } from '../../../session/own-requests.js';
import type { ServerFailure } from '../../../workbench/ports/observer.js';
import { isReachable, judgeOf } from '../../../workbench/rules/verdict.js';
import { eachAtMost } from '../../frame/each-at-most.js';
import { ruleFacts } from '../../frame/screen/rule-words.js';
import type { Running } from './live-starts.js';
import type { ServerReport, WellServer } from './server-report.js';
import { uselessRules } from './useless-rules.js';

/** What is checked, and over which session. */
export interface Checking {
  readonly session: CommandSession;
  readonly servers: readonly ServerConfig[];
  readonly signal: AbortSignal;
  /** All tools that servers have listed. */
  readonly listed: Tool[];
}

interface Wishes {
  /** Whether servers are started that may open a browser. */
  readonly mayOpenBrowser: boolean;
  readonly compare: CompareWithLock;
  /** Why it does not run in its directory, if so. */
  readonly strayNotes: (server: ServerConfig) => Promise<readonly string[]>;
  /** What to do about a server that does not work; undefined if the reason says it. */
  readonly advice: (server: ServerConfig, failure: ServerFailure) => string | undefined;
}

/** Starts every server once, some at a time. The reports are in the order of the configuration. */
export async function checkServers(
  given: Checking,
  running: Running,
  wishes: Wishes,
): Promise<readonly ServerReport[]> {
  return eachAtMost(given.servers, given.signal, async (server) => {
    running.set(server, performance.now());
    const report = await check(server, given, wishes);
    running.delete(server);
    return report;
  });
}

async function check(
  server: ServerConfig,
  { session, signal, listed }: Checking,
  { mayOpenBrowser, advice: adviceFor, compare, strayNotes }: Wishes,
): Promise<ServerReport> {
  const place = { toolbox: server.toolbox, server: server.name };
  if (server.disabled) return { ...place, state: 'disabled' };
  if (!mayOpenBrowser && opensBrowser(server)) return { ...place, state: 'skipped' };
  const began = performance.now();
  try {
    const inspected = await session.inspect(place, signal, true);
    const { all, shown, ready, answerMs } = inspected;
    const { startMs, revision, software, package: from, isJoined } = ready;
    const begun = isJoined ? { running: true as const } : { startMs: Math.round(startMs) };
    const times = { ...begun, ...(answerMs !== undefined && { latencyMs: Math.round(answerMs) }) };
    const names = new Set(shown);
    const tokens = all.reduce((sum, tool) => sum + (names.has(tool.name) ? toolTokens(tool) : 0), 0);
    const found = { revision, software, ...(from && { package: from }), tools: shown.length, tokens };
    listed.push(...all);
    const ruled = ruledFacts(server, inspected, await strayNotes(server));
    return { ...place, state: 'well', ...times, ...found, ...ruled, ...differences(server, all, compare) };
  } catch (error) {
    signal.throwIfAborted();
    const { kind, reason } = serverFailureIn(error) ?? { kind: 'unreachable', reason: messageOf(error) };
    const advice = adviceFor(server, { kind, reason });
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

/** The effect of rules on its tools, and rules that match none. */
function ruledFacts(
  server: ServerConfig,
  { asks, denied, all }: Inspected,
  notes: readonly string[],
): Pick<WellServer, 'asks' | 'denied' | 'warnings'> {
  const warnings = [...notes, ...uselessRules(server, all)];
  return { ...ruleFacts({ asks, denied }), ...(warnings.length > 0 && { warnings }) };
}

/** The usual bridge to remote servers asks the user to log in as soon as it starts. */
export function opensBrowser({ target }: ServerConfig): boolean {
  const words = target.kind === 'stdio' ? [target.command, ...target.args] : [];
  return words.some((word) => /(?:^|[\\/])mcp-remote(?:@|$)/.test(word));
}
