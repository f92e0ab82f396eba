import { describeToolbox } from '../../config/describe-toolbox.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { OpenToolboxResult } from '../../contract/types.js';
import { longestReason } from '../../limits.js';
import { loadPart } from '../../platform/load-part.js';
import { nextTurn } from '../../platform/slices.js';
import { shorten } from '../../text/shorten.js';
import type { LoginQuestions } from '../asking/login-questions.js';
import { type Budget, jsonChars } from '../listing/listed-tool.js';
import type { SessionLock } from '../lock/session-lock.js';
import { connectFailed } from '../servers/failures.js';
import type { Supervisor } from '../servers/supervised-server.js';
import type { OpenOptions, Toolbox } from '../servers/toolbox.js';
import type { Catalog } from './catalog.js';
import type { Request } from './open-answer.js';
import { type Opening, type Outcome, openServers } from './opening.js';
import type { ReportedReasons } from './reported-reasons.js';
import { startNotes } from './start-notes.js';

const shortestReason = 60;
/** Of the lines on all servers if none can be reached: a longer error is cut, and the last servers would not be in it. */
const longestLines = 1_800;
/** All reasons in an answer to a query, or about tools asked for by name: it is small, or has no room to lose. */
const reasonsBesideTools = 800;

interface Opened {
  readonly server: string;
  readonly supervisor: Supervisor;
  readonly outcome: Outcome;
  /** What a server that is still starting wrote last. */
  readonly lastWords: string | undefined;
}

interface OpenWith extends OpenOptions {
  readonly logins: LoginQuestions;
  readonly lock: SessionLock | undefined;
  readonly reasons: ReportedReasons;
}

/** Wakes all servers in parallel and waits, within limits, for their tools. They are listed in configuration order. */
export async function openToolbox(
  toolbox: Toolbox,
  catalog: Catalog,
  limitMs: number,
  request: Request,
  options: OpenWith,
): Promise<OpenToolboxResult> {
  const start = (some: Toolbox) => openServers(some, catalog, limitMs, options);
  const [openings, { describeTools }] = await Promise.all([start(toolbox), loadMeanwhile()]);
  const opened = await lookAgain(await withLogins(openings, toolbox, options.logins, options, start));
  if (!opened.some(({ outcome }) => outcome.is !== 'unavailable'))
    throw noServerReached(toolbox, opened, options.reasons);
  const { frame, servers, notes } = describe(toolbox, opened, request, options.reasons);
  const all = [...notes, ...lockNotes(toolbox, opened, options.lock)];
  const { name } = toolbox.config;
  return describeTools(frame, servers, all, request, (text, limit) => catalog.query(text, { toolbox: name, limit }));
}

/** The part that lists tools, loaded while the servers start. */
async function loadMeanwhile() {
  await nextTurn();
  return loadPart(() => import('./open-answer.js'));
}

/** Servers that need a login are opened again once the user has logged in; one question at a time. */
async function withLogins(
  openings: readonly Opening[],
  toolbox: Toolbox,
  logins: LoginQuestions,
  options: OpenOptions,
  openAgain: (toolbox: Toolbox) => Promise<readonly Opening[]>,
): Promise<readonly Opening[]> {
  const loggedIn = new Map<string, Opening['supervisor']>();
  for (const { server, supervisor, outcome } of openings) {
    const found = outcome();
    const asker = { toolbox: toolbox.config.name, server };
    if (found.is === 'unavailable' && (await logins.ask(found.error, asker, options))) loggedIn.set(server, supervisor);
  }
  if (loggedIn.size === 0) return openings;
  const again = await openAgain({ ...toolbox, servers: loggedIn });
  return openings.map((opening) => again.find(({ server }) => server === opening.server) ?? opening);
}

/** The state of each start at the time of the answer: one server may have been waited for long after another was given up. */
async function lookAgain(openings: readonly Opening[]): Promise<Opened[]> {
  const lastWords = new Map<Opening, string | undefined>();
  for (const opening of openings) {
    const { is } = opening.outcome();
    if (is !== 'starting' && is !== 'cached') continue;
    lastWords.set(opening, await opening.supervisor.lastWords());
    // Each may have thousands of lines.
    await nextTurn();
  }
  return openings.map((opening) => ({
    server: opening.server,
    supervisor: opening.supervisor,
    outcome: opening.outcome(),
    lastWords: lastWords.get(opening),
  }));
}

function noServerReached(toolbox: Toolbox, opened: readonly Opened[], reasons: ReportedReasons): WorkbenchError {
  const reported = new Map(
    opened.map(({ server, supervisor, outcome }) => [
      server,
      outcome.is === 'unavailable' ? reasons.report(supervisor, outcome.error, longestReason) : undefined,
    ]),
  );
  const share = Math.floor(longestLines / toolbox.servers.size);
  const lines = [...toolbox.servers.keys()].map((server) => {
    const reason = reported.get(server) ?? 'it is disabled in the configuration';
    return shorten(connectFailed({ toolbox: toolbox.config.name, server }, reason).message, share);
  });
  return new WorkbenchError('TOOLBOX_UNAVAILABLE', lines.join('\n'), {
    place: { toolbox: toolbox.config.name },
    hint: 'Fix the cause, then call open_toolbox again; every server is retried.',
  });
}

/** The answer without its tools, the servers that have some, and what is to be said of all of them. */
function describe({ config }: Toolbox, opened: readonly Opened[], request: Request, reasons: ReportedReasons) {
  const { name } = config;
  for (const { supervisor, outcome } of opened) if (outcome.is === 'listed') reasons.forget(supervisor);
  const explained = opened.filter(({ outcome }) => outcome.is !== 'listed');
  // Long reasons must not crowd out the tools of the servers that work.
  const isPlainListing = request.query === undefined && request.tools === undefined;
  const forReasons = Math.min(request.budgetChars / 4, isPlainListing ? Number.POSITIVE_INFINITY : reasonsBesideTools);
  const share = Math.floor(forReasons / Math.max(1, explained.length));
  const length = Math.max(shortestReason, Math.min(longestReason, share));
  const unreached = opened.flatMap(({ server, supervisor, outcome }) =>
    outcome.is === 'unavailable' ? [{ server, reason: reasons.report(supervisor, outcome.error, length) }] : [],
  );
  const unavailable = startOf(unreached, request);
  const starting = opened.filter(({ outcome }) => outcome.is === 'starting');
  const servers = opened.flatMap(({ server, outcome }) =>
    'known' in outcome ? [{ toolbox: name, server, ...outcome.known }] : [],
  );
  const frame: OpenToolboxResult = {
    toolbox: name,
    description: describeToolbox(config),
    servers_connected: servers.length,
    tools: [],
    ...(unavailable.length > 0 && { unavailable }),
    ...(starting.length > 0 && { starting: starting.map(({ server }) => server) }),
  };
  const left = unreached.length - unavailable.length;
  const more = left === 0 ? [] : [`${left} more servers cannot be reached.`];
  return { frame, servers, notes: [...more, ...startNotes(opened, length, request)] };
}

/** As many as fit in half of the budget: a toolbox can have any number of servers. */
function startOf<T>(entries: readonly T[], budget: Budget): T[] {
  let room = budget.budgetChars / 2;
  return entries.filter((entry) => (room -= jsonChars(entry, budget) + 1) >= 0);
}

/** What is blocked, or has changed, since the tools were approved. */
function lockNotes(
  { config: { name }, servers }: Toolbox,
  opened: readonly Opened[],
  lock: SessionLock | undefined,
): readonly string[] {
  const listed = opened.flatMap(({ server, outcome }) => {
    const supervisor = servers.get(server);
    return supervisor !== undefined && 'known' in outcome ? [{ server: supervisor.server, known: outcome.known }] : [];
  });
  return lock?.takeNotes(name, listed) ?? [];
}
