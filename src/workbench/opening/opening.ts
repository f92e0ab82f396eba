import { availableParallelism } from 'node:os';
import { failureOf } from '../../contract/downstream-failure.js';
import { overdueWaitMs, quietOpenMs } from '../../limits.js';
import { nextTurn } from '../../platform/slices.js';
import { watchSlowness } from '../../platform/slowness.js';
import type { Supervisor } from '../servers/supervised-server.js';
import type { OpenOptions, Toolbox } from '../servers/toolbox.js';
import { StillWaiting, within } from '../servers/within.js';
import type { Catalog, OfferedTools } from './catalog.js';

/** How long to wait for a server's live tools if cached ones can be shown instead. */
const preferLiveMs = 2_000;

/** The most of the limit that is kept for the answer itself. */
const answerShare = 0.15;
/** The processor time of an answer: a constant part, and one for each tool that may be in it. */
const answerCpuMs = 60;
const toolCpuMs = 0.02;
/** Work that takes up to this much longer than its processor time is ordinary. */
const ordinarySlowness = 2;

/**
 * - `listed`: with its live tools, or asleep with those it had
 * - `cached`: still starting; the tools it last had are known, and a call of one waits for the start
 * - `starting`: and nothing is known of its tools
 */
export type Outcome =
  | { readonly is: 'listed' | 'cached'; readonly known: OfferedTools }
  | { readonly is: 'starting' }
  | { readonly is: 'unavailable'; readonly error: unknown };

/** A server of a toolbox that is being opened. */
export interface Opening {
  readonly server: string;
  readonly supervisor: Supervisor;
  /** Its state at the moment. */
  readonly outcome: () => Outcome;
}

interface Start extends Opening {
  /** Resolves when the start has succeeded or failed. */
  readonly settled: Promise<void>;
  /** Resolves when it has been looked up whether cached tools can be shown. */
  readonly lookedUp: Promise<void>;
  /** Whether an earlier wait for it ended without success. */
  readonly isOverdue: boolean;
}

/**
 * Starts the servers of a toolbox and waits until each can be shown: with its live tools, with cached ones, or as failed. Once some
 * can be shown, the others are waited for only while servers keep becoming ready. The limit counts from now, whatever the
 * computer is busy with.
 */
export async function openServers(
  toolbox: Toolbox,
  catalog: Catalog,
  limitMs: number,
  options: OpenOptions,
): Promise<readonly Opening[]> {
  const arrived = performance.now();
  const slowness = watchSlowness();
  const deadline = arrived + limitMs;
  // The answer takes time as well: many servers that start at once leave little of the machine.
  const almost = deadline - limitMs * answerShare;
  const enabled = [...toolbox.servers].filter(([, supervisor]) => !supervisor.server.disabled);
  const ready: string[] = [];
  let lastReady: number | undefined;
  const onListed = (server: string) => {
    ready.push(server);
    lastReady = performance.now();
    const message = `${ready.length} of ${enabled.length} ready: ${ready.join(', ')}`;
    options.onProgress?.({ ready: ready.length, total: enabled.length, message });
  };
  const starts = enabled.map(([server, supervisor]) => begin(server, supervisor, catalog, options, onListed));
  const waitUntil = (time: number, work: readonly Promise<void>[]) =>
    waitedFor(time - performance.now(), Promise.all(work), options);

  const live = starts.map(({ settled }) => settled);
  if (await waitUntil(Math.min(arrived + preferLiveMs, almost), live)) return starts;
  const lookedUp = starts.map((start) => start.lookedUp);
  await waitUntil(almost, lookedUp);
  // Cached tools can be shown as well as live ones.
  if (starts.some(({ outcome }) => outcome().is === 'cached')) lastReady ??= performance.now();
  const notShown = () => starts.filter(({ outcome }) => outcome().is === 'starting');
  const patience = (missing: readonly Start[]): number => {
    if (missing.every(({ isOverdue }) => isOverdue)) return arrived + overdueWaitMs;
    return lastReady === undefined ? deadline : lastReady + quietOpenMs;
  };
  for (let missing = notShown(); missing.length > 0; missing = notShown()) {
    const latest = performance.now() < almost ? almost : deadline - answerMs(slowness(), starts);
    const time = Math.min(latest, patience(missing));
    if (time <= performance.now()) break;
    await waitUntil(time, [Promise.race(missing.map(({ settled }) => settled))]);
  }
  for (const { supervisor } of notShown()) supervisor.markOverdue();
  return starts;
}

/** How long the answer will take on a machine that is kept busy. On another one it takes no time to speak of. */
function answerMs(slowness: number, starts: readonly Start[]): number {
  if (slowness < ordinarySlowness) return 0;
  const outcomes = starts.map(({ outcome }) => outcome());
  const tools = outcomes.flatMap((outcome) => ('known' in outcome ? outcome.known.tools.length : []));
  // Each server that is starting may take its share of a core as soon as this process needs more than a moment.
  const rivals = outcomes.filter(({ is }) => is === 'starting' || is === 'cached').length;
  const cpuMs = answerCpuMs + toolCpuMs * tools.reduce((sum, count) => sum + count, 0);
  return Math.max(slowness, rivals / availableParallelism()) * cpuMs;
}

function begin(
  server: string,
  supervisor: Supervisor,
  catalog: Catalog,
  { agent, signal }: OpenOptions,
  onListed: (server: string) => void,
): Start {
  const isOverdue = supervisor.isOverdue();
  let settledAs: Outcome | undefined;
  let known: OfferedTools | undefined;
  const settled = supervisor.list({ agent }).then(
    ({ tools: listed, instructions: given }) => {
      const { tools, omissions, asks, withheld } = listed;
      const withholdsInstructions = listed.withholds(given);
      const instructions = withholdsInstructions ? undefined : given;
      settledAs = { is: 'listed', known: { tools, omissions, asks, withheld, instructions, withholdsInstructions } };
      onListed(server);
    },
    (error: unknown) => {
      settledAs = { is: 'unavailable', error };
    },
  );

  async function lookUp(): Promise<void> {
    // First the process, then what can be done while it starts.
    await nextTurn();
    // The tools of a server that could not be started cannot be called.
    known = supervisor.hasFailed() ? undefined : await catalog.known(supervisor.server);
  }

  function outcome(): Outcome {
    if (settledAs !== undefined) return settledAs;
    if (signal?.aborted === true) return { is: 'unavailable', error: failureOf(signal) };
    return known === undefined ? { is: 'starting' } : { is: 'cached', known };
  }

  const lookedUp = lookUp();
  // Awaited later, if at all; until then a rejection must not count as unhandled.
  lookedUp.catch(() => {});
  return { server, supervisor, settled, lookedUp, isOverdue, outcome };
}

/** Whether it was done in time; it is not waited for after the agent has cancelled its call. */
async function waitedFor(limitMs: number, work: Promise<unknown>, { signal }: OpenOptions): Promise<boolean> {
  try {
    await within(Math.max(0, limitMs), work, signal);
    return true;
  } catch (error) {
    if (error instanceof StillWaiting || signal?.aborted === true) return false;
    throw error;
  }
}
