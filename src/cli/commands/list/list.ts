import { readWaiting, waitingText } from '../../../config/edits/waiting-edits.js';
import { realPathOf } from '../../../config/trust/trust-store.js';
import type { PackageVersion } from '../../../contract/package-version.js';
import type { Inspection, ServerState } from '../../../inspect/server-states.js';
import { tokenTotals } from '../../../inspect/token-totals.js';
import type { Computer } from '../../../platform/computer.js';
import { displayWidth } from '../../../text/display-width.js';
import { ownCommand } from '../../../text/own-command.js';
import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { isLongAgo, listedText, plural, tokenCount } from '../../frame/screen/amounts.js';
import type { Row } from '../../frame/screen/columns.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { headingLine } from '../../frame/screen/heading.js';
import type { Output } from '../../frame/screen/output.js';
import { ruleCounts, ruleFacts } from '../../frame/screen/rule-words.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { failOnConfiguration } from '../../state/faulty-configuration.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { notShared } from '../../state/not-shared.js';
import { readState } from '../../state/read-state.js';
import { callFacts, callTexts } from '../../state/running-call.js';
import { startTokens } from '../../state/start-tokens.js';
import { nextFor, stateText } from '../../state/state-text.js';
import { strayNoteOf, writtenTarget } from '../../state/stray-note.js';
import { printServer } from './server-screen.js';

/** `mcp-workbench list [TOOLBOX [SERVER]]`. Starts nothing. */
export async function runList(call: Call): Promise<ExitCode> {
  const { words, computer, output } = call;
  const state = await readState(call).catch((error: unknown) => failOnConfiguration(error, call));
  if (state === undefined) return noConfiguration(computer, output);
  const { toolbox, server } = findAddress(words, state.written.file.toolboxes, 'list', sameConfig(call));
  const servers = state.servers.filter(
    (one) => one.toolbox === (toolbox?.name ?? one.toolbox) && one.server === (server?.name ?? one.server),
  );
  const { tokens: all } = tokenTotals(servers);
  const hasSaving = toolbox === undefined && all > 0;
  // It takes a while to be worked out.
  const sum = { start: output.isJson || hasSaving ? startTokens(state.written) : 0, all };
  const against = notShared(computer, state.written.file);
  const alone = withoutHost(state);
  const sharing = { notShared: against?.reason, withoutHost: alone.length === 0 ? undefined : alone };
  const waiting = waitingFor(state.written.path, computer);
  output.document({ ...documentOf(state, servers, sum, call), ...sharing, waiting });
  printList(state, servers, call);
  if (waiting !== undefined) output.print(`${output.mark('warning')} ${waitingText(waiting)}`);
  const entry =
    toolbox === undefined || server === undefined
      ? undefined
      : state.written.file.toolboxes.get(toolbox.name)?.mcpServers.get(server.name);
  const target = entry && writtenTarget(entry, state.written.path);
  const [one] = servers;
  if (entry !== undefined && one !== undefined && !output.isJson)
    await printServer(one, entry, await strayNoteOf(target, state.written.namedFile, computer), call);
  printBelow(servers, hasSaving ? sum : undefined, call);
  if (against !== undefined && toolbox === undefined)
    output.print(wrapped(`Sessions share no servers: ${against.reason}.`, output.width, 0));
  for (const { pid, why } of alone) {
    const text = `Session ${pid} runs its servers itself: ${why}.`;
    output.print(wrapped(`${output.mark('warning')} ${text}`, output.width, 0, 2));
  }
  return exitCodes.ok;
}

/** How many changes of a file running sessions have not applied; undefined: none. */
function waitingFor(file: string, computer: Computer): number | undefined {
  const lines = readWaiting(computer).filter((one) => realPathOf(one.file) === realPathOf(file));
  return new Set(lines.flatMap((one) => one.lines)).size || undefined;
}

function printList({ written }: Inspection, servers: readonly ServerState[], call: Call): void {
  const { output } = call;
  const now = Date.now();
  const names = [...new Set(servers.map(({ toolbox }) => toolbox))];
  const nameWidth = Math.min(24, Math.max(0, ...names.map(displayWidth)));
  const rows = names.flatMap((name): (Row | string)[] => {
    const own = servers.filter(({ toolbox }) => toolbox === name);
    const description = written.file.toolboxes.get(name)?.description ?? '';
    const heading = headingLine({ name, description, facts: factsOf(own), nameWidth }, output);
    return [
      { cells: [heading], isHeading: true },
      ...own.flatMap((server) => [rowOf(server, call, now), ...callLines(server, output)]),
    ];
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
  const next = output.width === undefined ? undefined : noteFor(server, call);
  const age = known !== undefined && isLongAgo(known.at, now) ? listedText(known.at, now) : undefined;
  const note = next ?? age;
  const ruled = known === undefined ? '' : ruleCounts(known);
  return {
    cells: [
      server.server,
      stateText(server, output, now),
      known === undefined ? output.signs.dash : plural(known.tools.length, 'tool'),
      known === undefined ? '' : tokenCount(known.tokens),
      ...(ruled === '' ? [] : [ruled]),
    ],
    indent: 2,
    ...(note !== undefined && { note }),
  };
}

/** `call 4711-12: search for 2 min "indexed 12 of 90"`. */
function callLines({ calls }: ServerState, { width }: Output): string[] {
  return calls.map((one) => wrapped(`call ${one.id}: ${one.tool} ${callTexts(one).join(' ')}`, width, 4, 6));
}

/** `4 servers   42 tools   7.5 k tokens`. */
function factsOf(servers: readonly ServerState[]): string {
  const parts = [plural(servers.length, 'server')];
  const { tools, tokens } = tokenTotals(servers);
  if (tokens > 0) parts.push(plural(tools, 'tool'), `${tokenCount(tokens)} tokens`);
  return parts.join('   ');
}

/** The command that helps, or what to do where there is none. Many servers may be unknown, and who disabled one knows why. */
function noteFor(server: ServerState, call: Call): string | undefined {
  if (server.state === 'unknown' || server.state === 'disabled') return undefined;
  const { command, says } = nextFor(server, call);
  return command ?? says;
}

/** The sessions that were to be served by a host, and are not. */
function withoutHost({ processes }: Inspection) {
  return processes.flatMap((one) =>
    one.is === 'known'
      ? one.sessions.flatMap(({ wantedHost, why = '' }) => (wantedHost === true ? [{ pid: one.pid, why }] : []))
      : [],
  );
}

/** The tokens that the model reads, unless it would read less without us; then how to measure unmeasured servers. */
function printBelow(
  servers: readonly ServerState[],
  sum: { readonly start: number; readonly all: number } | undefined,
  call: Call,
): void {
  const { output } = call;
  if (sum !== undefined && sum.start < sum.all) {
    const all = `${tokenTotals(servers).isWhole ? 'about' : 'more than'} ${tokenCount(sum.all)}`;
    output.print(
      wrapped(`The model reads about ${tokenCount(sum.start)} tokens at start, instead of ${all}.`, output.width, 0),
    );
  }
  const [only, ...others] = servers;
  if (only?.state === 'disabled' && others.length === 0) {
    const { command } = nextFor(only, call);
    output.next(command === undefined ? [] : [command]);
  }
  if (!servers.some(({ state }) => state === 'unknown')) return;
  const measures = others.length === 0 ? '' : '   (starts each server once, and measures it)';
  output.next([`${ownCommand('doctor', call.words, sameConfig(call))}${measures}`]);
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
  const { server: name, state, since: at, running, calls, silent, failure, known } = server;
  return {
    name,
    state,
    since: at === undefined ? undefined : timeOf(at),
    clients: running.length === 0 ? undefined : running.map(({ client }) => client),
    calls: calls.length === 0 ? undefined : calls.map(callFacts),
    silentProcess: silent,
    tools: known?.tools.length,
    tokens: known?.tokens,
    ...(known && ruleFacts(known)),
    knownSince: known === undefined ? undefined : timeOf(known.at),
    package: known?.package && packageFacts(known.package, known.approvedPackage),
    changed: known?.changes?.changed,
    new: known?.changes?.added,
    error: failure === undefined ? undefined : { kind: failure.kind, reason: failure.reason, at: timeOf(failure.at) },
    next: nextFor(server, call).command,
    advice: nextFor(server, call).says,
  };
}

function packageFacts({ name, version, at }: PackageVersion, approved: PackageVersion | undefined): object {
  return { name, version, lookedUp: at === undefined ? undefined : timeOf(at), approved: approved?.version };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
