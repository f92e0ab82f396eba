import type { PackageVersion } from '../../../contract/package-version.js';
import type { Inspection, ServerState } from '../../../inspect/server-states.js';
import { displayWidth } from '../../../text/display-width.js';
import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { isLongAgo, listedText, plural, tokenCount } from '../../frame/screen/amounts.js';
import type { Row } from '../../frame/screen/columns.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { headingLine } from '../../frame/screen/heading.js';
import type { Output } from '../../frame/screen/output.js';
import { ruleCounts, ruleFacts, ruleLines } from '../../frame/screen/rule-words.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { readState } from '../../state/read-state.js';
import { startTokens } from '../../state/start-tokens.js';
import { nextFor, packageText, stateText } from '../../state/state-text.js';
import { strayNoteOf, writtenTarget } from '../../state/stray-note.js';

/** `mcp-workbench list [TOOLBOX [SERVER]]`. Starts nothing. */
export async function runList(call: Call): Promise<ExitCode> {
  const { words, computer, output } = call;
  const state = await readState(call);
  if (state === undefined) return noConfiguration(computer, output);
  const { toolbox, server } = findAddress(words, state.written.file.toolboxes, 'list', sameConfig(call));
  const servers = state.servers.filter(
    (one) => one.toolbox === (toolbox?.name ?? one.toolbox) && one.server === (server?.name ?? one.server),
  );
  const all = tokensOf(servers);
  const hasSaving = toolbox === undefined && all > 0;
  // It takes a while to be worked out.
  const sum = { start: output.isJson || hasSaving ? startTokens(state.written) : 0, all };
  output.document(documentOf(state, servers, sum, call));
  printList(state, servers, call);
  const entry =
    toolbox === undefined || server === undefined
      ? undefined
      : state.written.file.toolboxes.get(toolbox.name)?.mcpServers.get(server.name);
  const target = entry && writtenTarget(entry, state.written.path);
  if (server !== undefined) printServer(servers, await strayNoteOf(target, state.written.namedFile, computer), output);
  if (hasSaving) output.print(saving(sum, servers));
  return exitCodes.well;
}

function printList({ written }: Inspection, servers: readonly ServerState[], call: Call): void {
  const { output } = call;
  const now = Date.now();
  const names = [...new Set(servers.map(({ toolbox }) => toolbox))];
  const nameWidth = Math.min(24, Math.max(0, ...names.map(displayWidth)));
  const rows = names.flatMap((name): Row[] => {
    const own = servers.filter(({ toolbox }) => toolbox === name);
    const description = written.file.toolboxes.get(name)?.description ?? '';
    const heading = headingLine({ name, description, facts: factsOf(own), nameWidth }, output);
    return [{ cells: [heading], isHeading: true }, ...own.map((server) => rowOf(server, call, now))];
  });
  output.printRows(rows, {
    right: [2, 3],
    flexible: [
      [0, 24],
      [1, 12],
      [0, 10],
    ],
  });
}

function rowOf(server: ServerState, call: Call, now: number): Row {
  const { output } = call;
  const { known } = server;
  const isUnknown = server.state === 'unknown';
  const next = output.width === undefined ? undefined : nextFor(server, call);
  const age = known !== undefined && isLongAgo(known.at, now) ? listedText(known.at, now) : undefined;
  const note = next ?? age;
  const ruled = known === undefined ? '' : ruleCounts(known);
  return {
    cells: [
      server.server,
      stateText(server, output, now),
      known === undefined ? (isUnknown ? '?' : output.signs.dash) : plural(known.tools.length, 'tool'),
      known === undefined ? '' : tokenCount(known.tokens),
      ...(ruled === '' ? [] : [ruled]),
    ],
    indent: 2,
    ...(note !== undefined && { note }),
  };
}

/** `4 servers   42 tools   7.5 k tokens`. */
function factsOf(servers: readonly ServerState[]): string {
  const parts = [plural(servers.length, 'server')];
  const known = servers.filter((server) => server.known !== undefined);
  if (known.length > 0) {
    const tools = known.reduce((total, server) => total + (server.known?.tools.length ?? 0), 0);
    parts.push(plural(tools, 'tool'), `${tokenCount(tokensOf(servers))} tokens`);
  }
  return parts.join('   ');
}

/** One server in full: what does not fit into a line. */
function printServer([server]: readonly ServerState[], stray: string | undefined, output: Output): void {
  if (stray !== undefined) output.print(wrapped(`${output.mark('warning')} ${stray}`, output.width, 2, 4));
  if (server?.failure !== undefined)
    output.print(`\n  Last error, ${timeOf(server.failure.at)}:\n  ${server.failure.reason}`);
  if (server?.known === undefined) return;
  const { package: from, approvedPackage } = server.known;
  if (from !== undefined) output.print(`\n  Package ${packageText(from, approvedPackage, Date.now())}.`);
  output.print(`\n  Tools known since ${timeOf(server.known.at)}.`);
  for (const line of ruleLines(server.known)) output.print(wrapped(line, output.width, 2, 4));
}

function tokensOf(servers: readonly ServerState[]): number {
  return servers.reduce((total, { known }) => total + (known?.tokens ?? 0), 0);
}

function saving(
  { start, all }: { readonly start: number; readonly all: number },
  servers: readonly ServerState[],
): string {
  const isIncomplete = servers.some(({ state, known }) => state !== 'disabled' && known === undefined);
  return `Model reads ${tokenCount(start)} tokens at start, instead of ${isIncomplete ? 'at least ' : ''}${tokenCount(all)}.`;
}

function documentOf(
  { written }: Inspection,
  servers: readonly ServerState[],
  sum: { readonly start: number; readonly all: number },
  call: Call,
): object {
  const names = [...new Set(servers.map(({ toolbox }) => toolbox))];
  return {
    config: written.path,
    toolboxes: names.map((name) => ({
      name,
      description: written.file.toolboxes.get(name)?.description,
      servers: servers.filter(({ toolbox }) => toolbox === name).map((server) => facts(server, call)),
    })),
    tokens: sum.all,
    startTokens: sum.start,
  };
}

function facts(server: ServerState, call: Call): object {
  const { server: name, state, since: at, running, silent, failure, known } = server;
  return {
    name,
    state,
    since: at === undefined ? undefined : timeOf(at),
    clients: running.length === 0 ? undefined : running.map(({ client }) => client),
    silentProcess: silent,
    tools: known?.tools.length,
    tokens: known?.tokens,
    ...(known && ruleFacts(known)),
    knownSince: known === undefined ? undefined : timeOf(known.at),
    package: known?.package && packageFacts(known.package, known.approvedPackage),
    changed: known?.changes?.changed,
    new: known?.changes?.added,
    error: failure === undefined ? undefined : { kind: failure.kind, reason: failure.reason, at: timeOf(failure.at) },
    next: nextFor(server, call),
  };
}

function packageFacts({ name, version, at }: PackageVersion, approved: PackageVersion | undefined): object {
  return { name, version, lookedUp: at === undefined ? undefined : timeOf(at), approved: approved?.version };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
