import { WorkbenchError } from '../contract/errors.js';
import type { OpenToolboxResult } from '../contract/types.js';
import { loadPart } from '../platform/load-part.js';
import { nextTurn } from '../platform/slices.js';
import { shorten } from '../text/shorten.js';
import type { Catalog } from './catalog.js';
import { connectFailed, reasonOf } from './failures.js';
import type { describeTools as DescribeTools, Request } from './open-answer.js';
import type { KnownTools } from './ports/tool-cache.js';
import type { Supervisor } from './supervisor.js';
import type { OpenOptions, Toolbox } from './toolbox.js';
import { StillWaiting, within } from './within.js';

/** How long to wait for a server's live tools if cached ones can be shown instead. */
const preferLiveMs = 2_000;

type Outcome =
  | { readonly is: 'listed'; readonly known: KnownTools }
  | { readonly is: 'starting'; readonly known: KnownTools | undefined }
  | { readonly is: 'unavailable'; readonly reason: string };

interface Opened {
  readonly server: string;
  readonly outcome: Outcome;
}

/** Wakes all servers in parallel and waits, within limits, for their tools. They are listed in configuration order. */
export async function openToolbox(
  toolbox: Toolbox,
  catalog: Catalog,
  limitMs: number,
  request: Request,
  options: OpenOptions,
): Promise<OpenToolboxResult> {
  const enabled = [...toolbox.servers].filter(([, supervisor]) => !supervisor.server.disabled);
  const ready: string[] = [];
  const opening = Promise.all(
    enabled.map(async ([server, supervisor]): Promise<Opened> => {
      const outcome = await outcomeOf(supervisor, catalog, limitMs, options);
      if (outcome.is !== 'listed') return { server, outcome };
      ready.push(server);
      const message = `${ready.length} of ${enabled.length} ready: ${ready.join(', ')}`;
      options.onProgress?.({ ready: ready.length, total: enabled.length, message });
      return { server, outcome };
    }),
  );
  const [opened, { describeTools }] = await Promise.all([opening, loadMeanwhile()]);
  if (!opened.some(({ outcome }) => outcome.is !== 'unavailable')) throw noServerReached(toolbox, opened);
  return describe(toolbox, opened, catalog, request, describeTools);
}

/** The part that lists tools, loaded while the servers start. */
async function loadMeanwhile() {
  await nextTurn();
  return loadPart(() => import('./open-answer.js'));
}

async function outcomeOf(
  supervisor: Supervisor,
  catalog: Catalog,
  limitMs: number,
  { signal, agent }: OpenOptions,
): Promise<Outcome> {
  const listing = supervisor.list(agent);
  // Awaited below; until then a rejection must not count as unhandled.
  listing.catch(() => {});
  // First the process, then what can be done while it starts.
  await nextTurn();
  const known = await catalog.known(supervisor.server);
  const waitMs = known === undefined ? limitMs : Math.min(limitMs, preferLiveMs);
  try {
    const { tools, instructions } = await within(waitMs, listing, signal);
    return { is: 'listed', known: { tools: tools.tools, omissions: tools.omissions, instructions } };
  } catch (error) {
    return error instanceof StillWaiting ? { is: 'starting', known } : { is: 'unavailable', reason: reasonOf(error) };
  }
}

function noServerReached(toolbox: Toolbox, opened: readonly Opened[]): WorkbenchError {
  const reasons = new Map(
    opened.map(({ server, outcome }) => [server, outcome.is === 'unavailable' && outcome.reason]),
  );
  const lines = [...toolbox.servers.keys()].map((server) => {
    const reason = reasons.get(server) || 'it is disabled in the configuration';
    return connectFailed({ toolbox: toolbox.config.name, server }, reason).message;
  });
  return new WorkbenchError('TOOLBOX_UNAVAILABLE', lines.join('\n'), {
    place: { toolbox: toolbox.config.name },
    hint: 'Fix the cause, then call open_toolbox again; every server is retried.',
  });
}

async function describe(
  { config: { name, description } }: Toolbox,
  opened: readonly Opened[],
  catalog: Catalog,
  request: Request,
  describeTools: typeof DescribeTools,
): Promise<OpenToolboxResult> {
  const failed = opened.flatMap(({ server, outcome }) =>
    outcome.is === 'unavailable' ? [{ server, reason: outcome.reason }] : [],
  );
  // Long reasons must not crowd out the tools of the servers that work.
  const share = Math.max(60, Math.min(600, Math.floor(request.budgetChars / 4 / Math.max(1, failed.length))));
  const unavailable = failed.map(({ server, reason }) => ({ server, reason: shorten(reason, share) }));
  const starting = opened.flatMap(({ server, outcome }) => (outcome.is === 'starting' ? [server] : []));
  const fromCache = opened.flatMap(({ server, outcome }) =>
    outcome.is === 'starting' && outcome.known !== undefined ? [server] : [],
  );
  const servers = opened.flatMap(({ server, outcome }) =>
    outcome.is === 'unavailable' || outcome.known === undefined ? [] : [{ toolbox: name, server, ...outcome.known }],
  );
  const notes = [
    ...(starting.length > 0
      ? [`Still starting: ${starting.join(', ')}. Call open_toolbox again in a moment to list their tools.`]
      : []),
    ...(fromCache.length > 0 ? [`The tools of ${fromCache.join(', ')} are the last known ones.`] : []),
  ];
  const frame: OpenToolboxResult = {
    toolbox: name,
    description,
    servers_connected: opened.filter(({ outcome }) => outcome.is === 'listed').length,
    tools: [],
    ...(unavailable.length > 0 && { unavailable }),
    ...(starting.length > 0 && { starting }),
  };
  return describeTools(frame, servers, notes, request, (text, limit) => catalog.query(text, { toolbox: name, limit }));
}
