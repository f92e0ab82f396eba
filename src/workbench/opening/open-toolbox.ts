import { WorkbenchError } from '../../contract/errors.js';
import type { OpenToolboxResult } from '../../contract/types.js';
import { longestReason } from '../../limits.js';
import { loadPart } from '../../platform/load-part.js';
import { nextTurn } from '../../platform/slices.js';
import { shorten } from '../../text/shorten.js';
import type { LoginQuestions } from '../asking/login-questions.js';
import { type Budget, jsonChars } from '../listing/listed-tool.js';
import type { SessionLock } from '../lock/session-lock.js';
import { connectFailed, reasonOf } from '../servers/failures.js';
import type { OpenOptions, Toolbox } from '../servers/toolbox.js';
import type { Catalog } from './catalog.js';
import type { Request } from './open-answer.js';
import { type Opening, type Outcome, openServers } from './opening.js';

const shortestReason = 60;
/** Of the lines on all servers if none can be reached: a longer error is cut, and the last servers would not be in it. */
const longestLines = 1_800;
/** All reasons in an answer to a query, or about tools asked for by name: it is small, or has no room to lose. */
const reasonsBesideTools = 800;

interface Opened {
  readonly server: string;
  readonly outcome: Outcome;
  /** What a server that is still starting wrote last. */
  readonly lastWords: string | undefined;
}

/** Wakes all servers in parallel and waits, within limits, for their tools. They are listed in configuration order. */
export async function openToolbox(
  toolbox: Toolbox,
  catalog: Catalog,
  limitMs: number,
  request: Request,
  options: OpenOptions & { readonly logins: LoginQuestions; readonly lock: SessionLock | undefined },
): Promise<OpenToolboxResult> {
  const start = (some: Toolbox) => openServers(some, catalog, limitMs, options);
  const [openings, { describeTools }] = await Promise.all([start(toolbox), loadMeanwhile()]);
  const opened = await lookAgain(await withLogins(openings, toolbox, options.logins, options, start));
  if (!opened.some(({ outcome }) => outcome.is !== 'unavailable')) throw noServerReached(toolbox, opened);
  const { frame, servers, notes } = describe(toolbox, opened, request);
  const all = [...notes, ...lockNotes(toolbox, opened, options.lock)];
  const { name } = toolbox.config;
  return describeTools(frame, servers, all, request, (text, limit) => catalog.query(text, { toolbox: name, limit }));
}

/** The part that lists tools, loaded while the servers start. */
async function loadMeanwhile() {
  await nextTurn();
  return loadPart(() => import('./open-answer.js'));
}

/** Those that need a login are opened again once the user has logged in; one question at a time. */
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

/** How each start stands now that the answer goes out: one server may have been waited for long after another was given up. */
async function lookAgain(openings: readonly Opening[]): Promise<Opened[]> {
  const lastWords = new Map<Opening, string | undefined>();
  for (const opening of openings) {
    if (opening.outcome().is !== 'starting') continue;
    lastWords.set(opening, await opening.supervisor.lastWords());
    // Each may have thousands of lines.
    await nextTurn();
  }
  return openings.map((opening) => ({
    server: opening.server,
    outcome: opening.outcome(),
    lastWords: lastWords.get(opening),
  }));
}

function noServerReached(toolbox: Toolbox, opened: readonly Opened[]): WorkbenchError {
  const errors = new Map(
    opened.map(({ server, outcome }) => [server, outcome.is === 'unavailable' ? outcome.error : undefined]),
  );
  const share = Math.floor(longestLines / toolbox.servers.size);
  const lines = [...toolbox.servers.keys()].map((server) => {
    const error = errors.get(server) ?? 'it is disabled in the configuration';
    return shorten(connectFailed({ toolbox: toolbox.config.name, server }, error).message, share);
  });
  return new WorkbenchError('TOOLBOX_UNAVAILABLE', lines.join('\n'), {
    place: { toolbox: toolbox.config.name },
    hint: 'Fix the cause, then call open_toolbox again; every server is retried.',
  });
}

/** The answer without its tools, the servers that have some, and what is to be said of all of them. */
function describe({ config: { name, description } }: Toolbox, opened: readonly Opened[], request: Request) {
  const failed = opened.filter(({ outcome }) => outcome.is === 'unavailable' || outcome.is === 'starting');
  // Long reasons must not crowd out the tools of the servers that work.
  const isPlainListing = request.query === undefined && request.tools === undefined;
  const forReasons = Math.min(request.budgetChars / 4, isPlainListing ? Number.POSITIVE_INFINITY : reasonsBesideTools);
  const share = Math.floor(forReasons / Math.max(1, failed.length));
  const length = Math.max(shortestReason, Math.min(longestReason, share));
  const unreached = opened.flatMap(({ server, outcome }) =>
    outcome.is === 'unavailable' ? [{ server, reason: reasonOf(outcome.error, length) }] : [],
  );
  const unavailable = startOf(unreached, request);
  const starting = opened.filter(({ outcome }) => outcome.is === 'starting');
  const servers = opened.flatMap(({ server, outcome }) =>
    'known' in outcome ? [{ toolbox: name, server, ...outcome.known }] : [],
  );
  const frame: OpenToolboxResult = {
    toolbox: name,
    description,
    servers_connected: servers.length,
    tools: [],
    ...(unavailable.length > 0 && { unavailable }),
    ...(starting.length > 0 && { starting: starting.map(({ server }) => server) }),
  };
  const left = unreached.length - unavailable.length;
  const more = left === 0 ? [] : [`${left} more servers cannot be reached.`];
  return { frame, servers, notes: [...more, ...startingNotes(starting, length, request), ...cacheNotes(opened)] };
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

function startingNotes(starting: readonly Opened[], length: number, { budgetChars }: Budget): string[] {
  if (starting.length === 0) return [];
  const names = starting.map(({ server, lastWords }) =>
    lastWords === undefined ? server : `${server} (${reasonOf(lastWords, length)})`,
  );
  const whose = starting.length === 1 ? 'its' : 'their';
  const list = shorten(names.join(', '), Math.floor(budgetChars / 4));
  return [`Still starting: ${list}. Call open_toolbox again in a moment to list ${whose} tools.`];
}

function cacheNotes(opened: readonly Opened[]): string[] {
  const cached = opened.filter(({ outcome }) => outcome.is === 'cached').map(({ server }) => server);
  if (cached.length === 0) return [];
  const are = cached.length === 1 ? 'it is' : 'they are';
  return [`The tools of ${cached.join(', ')} are the last known ones and can be called: ${are} still starting.`];
}
