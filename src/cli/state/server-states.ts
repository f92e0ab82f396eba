import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheKeyOf } from '../../config/resolve/entry-identity.js';
import { writtenRules } from '../../config/resolve/tool-rules.js';
import type { ServerFileEntry, ServerFileSettings } from '../../config/schema/schema.js';
import { readToolSummary, type ToolSummary } from '../../downstream/cache/tool-cache-summary.js';
import type { FoundProcess } from '../../inspect/list-sessions.js';
import { type LastFailure, readLastFailure } from '../../observe/status/failure-files.js';
import type { ServerStatus, SessionStatus } from '../../observe/status/protocol.js';
import { judgeOf, type Verdict } from '../../workbench/rules/verdict.js';
import type { Configured } from '../frame/configured.js';
import { type CompareWithLock, type DigestedTool, hasLock, type LockChanges } from './lock-changes.js';

/**
 * - `awake`, `starting`: in a session that runs
 * - `silent`: a session that may have started it does not answer
 * - `failed`, `unauthorized`: the last start failed, or the connection broke, and it was not started well since
 * - `asleep`: it was started before
 * - `unknown`: nothing is known about it
 */
export type StateName = 'disabled' | 'awake' | 'starting' | 'silent' | 'failed' | 'unauthorized' | 'asleep' | 'unknown';

/** All that is known about a server without starting it. */
export interface ServerState {
  readonly toolbox: string;
  readonly server: string;
  readonly state: StateName;
  /** The time of this state, in ms since 1970. */
  readonly since?: number;
  /** The clients of the sessions in which it is awake; one whose name is not known is empty. */
  readonly clients: readonly string[];
  /** The process of the session that does not answer. */
  readonly silent?: number;
  readonly failure?: LastFailure;
  /** The tools that pass its filters and rules. */
  readonly known?: KnownSummary;
}

export interface KnownSummary {
  readonly at: number;
  readonly tools: readonly string[];
  readonly tokens: number;
  /** Names of those that ask a person before each call, and of those that rules deny. */
  readonly asks: readonly string[];
  readonly denied: readonly string[];
  /** Undefined if nothing has changed since it was approved. */
  readonly changes?: LockChanges | undefined;
}

interface Seen extends ServerStatus {
  readonly client: string;
}

/** The states of all servers of a configuration, in its order. `processes`: those that serve it. Starts nothing. */
export function serverStates(
  configured: Configured,
  processes: readonly FoundProcess[],
  cacheDirectory: string,
  compare: CompareWithLock,
): ServerState[] {
  const sessions = processes.flatMap((process) => (process.is === 'known' ? process.sessions : []));
  const seen = seenIn(sessions);
  // An error for each file that is not there would take longer.
  const [lists, failures] = [filesIn(join(cacheDirectory, 'tools')), filesIn(join(cacheDirectory, 'failures'))];
  const silent = processes.find((process) => process.is !== 'known')?.pid;
  return [...configured.toolboxes].flatMap(([toolbox, { mcpServers }]) =>
    Array.from(mcpServers, ([server, entry]) => {
      const cacheKey = cacheKeyOf(configured.path, { toolbox, name: server }, entry);
      const known = !lists.has(`${cacheKey}.json`)
        ? undefined
        : judged(
            readToolSummary(join(cacheDirectory, 'tools'), { cacheKey }),
            entry,
            configured.file.defaults,
            (tools) => compare({ toolbox, server }, tools),
          );
      const failure = failures.has(`${cacheKey}.json`) ? readLastFailure(cacheDirectory, cacheKey) : undefined;
      const found = seen.get(toolbox)?.get(server) ?? [];
      const base = { toolbox, server, clients: [], ...(known && { known }) };
      return { ...base, ...stateFrom(entry, found, failure, silent, known) };
    }),
  );
}

function filesIn(directory: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(directory));
  } catch {
    return new Set();
  }
}

function seenIn(sessions: readonly SessionStatus[]): Map<string, Map<string, Seen[]>> {
  const seen = new Map<string, Map<string, Seen[]>>();
  for (const { client, servers } of sessions)
    for (const status of servers) {
      const toolbox = seen.get(status.toolbox) ?? new Map<string, Seen[]>();
      seen.set(status.toolbox, toolbox);
      toolbox.set(status.server, [...(toolbox.get(status.server) ?? []), { ...status, client: client?.name ?? '' }]);
    }
  return seen;
}

type Found = Pick<ServerState, 'state'> & Partial<Pick<ServerState, 'since' | 'clients' | 'silent' | 'failure'>>;

function stateFrom(
  { disabled = false }: ServerFileEntry,
  seen: readonly Seen[],
  kept: LastFailure | undefined,
  silent: number | undefined,
  known: KnownSummary | undefined,
): Found {
  if (disabled) return { state: 'disabled' };
  for (const state of ['awake', 'starting'] as const) {
    const those = seen.filter((one) => one.state === state);
    if (those.length > 0)
      return { state, since: Math.min(...those.map((one) => one.since)), clients: those.map(({ client }) => client) };
  }
  const failure = latest([kept, ...seen.map(failureIn)]);
  const well = seen.filter(({ state }) => state === 'asleep').map(({ since }) => since);
  if (failure !== undefined && failure.at >= Math.max(0, ...well))
    return { state: failure.kind === 'unauthorized' ? 'unauthorized' : 'failed', since: failure.at, failure };
  if (silent !== undefined) return { state: 'silent', silent };
  return { state: seen.length > 0 || known !== undefined ? 'asleep' : 'unknown' };
}

function failureIn({ state, since: at, kind = '', reason }: ServerStatus): LastFailure | undefined {
  return state === 'failed' && reason !== undefined ? { at, kind, reason } : undefined;
}

function latest(failures: readonly (LastFailure | undefined)[]): LastFailure | undefined {
  return failures.filter((one) => one !== undefined).toSorted((one, other) => other.at - one.at)[0];
}

function judged(
  summary: ToolSummary | undefined,
  entry: ServerFileEntry,
  defaults: ServerFileSettings | undefined,
  compare: (tools: readonly DigestedTool[]) => LockChanges | undefined,
): KnownSummary | undefined {
  if (summary === undefined) return undefined;
  const judge = judgeOf(writtenRules(entry, defaults));
  const verdicts = summary.tools.map((tool) => ({ ...tool, verdict: judge(tool) }));
  const having = (...some: Verdict[]) => verdicts.filter(({ verdict }) => some.includes(verdict));
  const names = (tools: typeof verdicts) => tools.map(({ name }) => name);
  const tools = having('asks', 'free');
  return {
    at: summary.at,
    tools: names(tools),
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    asks: names(having('asks')),
    denied: names(having('denied')),
    changes: hasLock(entry, defaults) ? compare(tools) : undefined,
  };
}
