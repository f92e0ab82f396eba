import { describeToolbox } from '../../config/describe-toolbox.js';
import type { OpenToolboxResult } from '../../contract/types.js';
import { loadPart } from '../../platform/load-part.js';
import { shorten } from '../../text/shorten.js';
import { jsonChars } from '../listing/listed-tool.js';
import type { Toolbox } from '../servers/toolbox.js';
import type { Catalog } from './catalog.js';
import type { DescribedServer, Request } from './open-answer.js';

/** There can be any number, and this is part of every answer to a query. */
const longestNames = 300;
const rowsNote = 'The toolboxes are in rows, not in tools; open one to list its tools.';
const description = 'All toolboxes, with the tools known so far. No server was started.';

/** `open_toolbox({toolbox: "*"})`: the known tools of all toolboxes. Starts no server. */
export async function openEverything(
  toolboxes: ReadonlyMap<string, Toolbox>,
  catalog: Catalog,
  request: Request,
): Promise<OpenToolboxResult> {
  const frame: OpenToolboxResult = { toolbox: '*', description, servers_connected: connected(toolboxes), tools: [] };
  const servers = await describedServers(toolboxes, catalog);
  if (request.query === undefined && request.tools === undefined) return summarize(frame, toolboxes, servers, request);
  const unknown = [...toolboxes.values()].filter((toolbox) => countOf(toolbox, servers).unknown > 0);
  const names = shorten(unknown.map(({ config }) => config.name).join(', '), longestNames);
  const notes =
    unknown.length === 0 ? [] : [`Not all tools are known yet in: ${names}. Open these toolboxes to list the rest.`];
  const { describeTools } = await loadPart(() => import('./open-answer.js'));
  return describeTools(frame, servers, notes, request, (text, limit) => catalog.query(text, { limit }));
}

function summarize(
  frame: OpenToolboxResult,
  toolboxes: ReadonlyMap<string, Toolbox>,
  servers: readonly DescribedServer[],
  request: Request,
): OpenToolboxResult {
  const rows = [...toolboxes.values()].map((toolbox) => {
    const { all, tools, unknown } = countOf(toolbox, servers);
    const missing = `${tools} + tools of ${unknown} ${unknown === 1 ? 'server' : 'servers'} not listed yet`;
    return [toolbox.config.name, describeToolbox(toolbox.config), String(all), unknown === 0 ? String(tools) : missing];
  });
  const answer = { ...frame, columns: ['toolbox', 'description', 'servers', 'tools'], rows, notes: [rowsNote] };
  if (jsonChars(answer, request) <= request.budgetChars) return answer;
  return namesOnly(
    frame,
    rows.map(([name = '']) => name),
    request,
  );
}

/** As many names as fit. */
function namesOnly(frame: OpenToolboxResult, names: readonly string[], request: Request): OpenToolboxResult {
  const notesWith = (left: number) =>
    left === 0 ? [rowsNote] : [rowsNote, `${left} more toolboxes do not fit in this answer.`];
  const columns = ['toolbox'];
  const rows: string[][] = [];
  let room = request.budgetChars - jsonChars({ ...frame, columns, rows, notes: notesWith(names.length) }, request);
  for (const name of names) {
    room -= jsonChars([name], request) + 1;
    if (room < 0) break;
    rows.push([name]);
  }
  return { ...frame, columns, rows, notes: notesWith(names.length - rows.length) };
}

function connected(toolboxes: ReadonlyMap<string, Toolbox>): number {
  const supervisors = [...toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
  return supervisors.filter((supervisor) => supervisor.isConnected()).length;
}

async function describedServers(toolboxes: ReadonlyMap<string, Toolbox>, catalog: Catalog): Promise<DescribedServer[]> {
  const supervisors = [...toolboxes.values()].flatMap(({ servers }) => [...servers.values()]);
  const found = await Promise.all(
    supervisors
      .filter(({ server }) => !server.disabled)
      .map(async ({ server }) => {
        const known = await catalog.known(server);
        return known === undefined ? [] : [{ toolbox: server.toolbox, server: server.name, ...known }];
      }),
  );
  return found.flat();
}

function countOf({ config }: Toolbox, servers: readonly DescribedServer[]) {
  const all = [...config.servers.values()].filter((server) => !server.disabled).length;
  const own = servers.filter((server) => server.toolbox === config.name);
  return { all, tools: own.reduce((sum, { tools }) => sum + tools.length, 0), unknown: all - own.length };
}
