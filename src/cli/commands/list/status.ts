import { isWorkbenchError } from '../../../contract/errors.js';
import type { Inspection, ServerState } from '../../../inspect/server-states.js';
import { isUnwell, type StateName } from '../../../inspect/state-name.js';
import { loadPart } from '../../../platform/load-part.js';
import { version } from '../../../platform/version.js';
import { ownCommand } from '../../../text/own-command.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { plural } from '../../frame/screen/amounts.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { failureOf } from '../../frame/screen/failure.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { readState } from '../../state/read-state.js';
import { changesText, loginText, nextFor } from '../../state/state-text.js';

const maxLines = 3;

/** `mcp-workbench` on a terminal: the state, and the next command. */
export async function runStatus(call: Call): Promise<ExitCode> {
  const { computer, output } = call;
  try {
    const state = await readState(call);
    return state === undefined ? noConfiguration(computer, output) : await show(state, call);
  } catch (error) {
    if (!isWorkbenchError(error) || error.code !== 'CONFIG_INVALID') throw error;
    return output.fail(failureOf(error, ownCommand('validate', [], sameConfig(call))));
  }
}

async function show(state: Inspection, call: Call): Promise<ExitCode> {
  const { computer, output } = call;
  const { written, servers } = state;
  const problems = servers.filter(({ state: is }) => isUnwell(is));
  const changed = servers.filter(({ state: is, known }) => is !== 'disabled' && known?.changes !== undefined);
  const counts = countsOf(state);
  const { summarizeClients } = await loadPart(() => import('../../state/client-summary.js'));
  const clients = summarizeClients(computer, output, written.file.http);
  output.document({
    workbench: version,
    config: written.path,
    ...counts,
    changed: changed.map(({ toolbox, server }) => ({ toolbox, server })),
    clients: clients.facts,
  });
  output.print(`MCP Workbench ${version}   ${shortPath(written.path, computer.home)}\n`);
  output.printText(`  ${countsText(counts, output.width)}`);
  if (clients.line !== undefined) output.print(clients.line);
  output.print('');
  printLines(problems, reasonText, output);
  printLines(changed, changeText, output);
  const helpFor = (some: readonly ServerState[]) =>
    some.flatMap((server) => nextFor(server, call).command ?? []).slice(0, 1);
  const help = [...helpFor(problems), ...helpFor(changed.filter((server) => !problems.includes(server)))];
  const { unconnected } = clients;
  const connect = unconnected === undefined ? [] : [ownCommand('connect', [unconnected], sameConfig(call))];
  output.next([...help, ...connect, ownCommand('list', [], sameConfig(call)), 'mcp-workbench help']);
  return exitCodes.ok;
}

/** What a person should look at, a line for each of the first servers. */
function printLines(servers: readonly ServerState[], text: (server: ServerState) => string, output: Output): void {
  if (servers.length === 0) return;
  const rows = servers.slice(0, maxLines).map((server) => ({
    cells: [`${output.mark('warning')} ${shellQuote(server.toolbox)} ${shellQuote(server.server)}`, text(server)],
    indent: 2,
  }));
  output.printRows(rows, {
    flexible: [
      [1, 20],
      [0, 12],
    ],
  });
  if (servers.length > maxLines) output.print(`  and ${servers.length - maxLines} more`);
  output.print('');
}

function reasonText(server: ServerState): string {
  if (server.state === 'unauthorized') return loginText(server);
  // There is one line for it: the cause has to be in it.
  return (server.failure?.reason ?? '').replace(/^it (exited with code \d+); last stderr output: /, '$1: ');
}

/** `tools: 2 changed, 1 new since they were approved`. */
function changeText({ known }: ServerState): string {
  return known?.changes === undefined ? '' : `tools: ${changesText(known.changes)} since they were approved`;
}

function countsOf({ written, processes, servers }: Inspection) {
  const count = (...states: readonly StateName[]) => servers.filter(({ state }) => states.includes(state)).length;
  return {
    toolboxes: written.file.toolboxes.size,
    servers: servers.length,
    awake: count('awake', 'starting'),
    sessions: processes.flatMap((process) => (process.is === 'known' ? process.sessions : [])).length,
    silentSessions: processes.filter((process) => process.is !== 'known').length,
    asleep: count('asleep'),
    notWell: count('failed', 'unauthorized'),
    neverStarted: count('unknown'),
    disabled: count('disabled'),
  };
}

/** `3 toolboxes, 12 servers: 3 awake in 2 sessions, 8 asleep, 1 failing`. */
function countsText(counts: ReturnType<typeof countsOf>, width = Number.POSITIVE_INFINITY): string {
  const { awake, sessions, silentSessions } = counts;
  const parts = [
    awake > 0 || sessions > 0 ? `${awake} awake in ${plural(sessions, 'session')}` : '',
    silentSessions > 0 ? `${plural(silentSessions, 'session')} without an answer` : '',
    counts.asleep > 0 ? `${counts.asleep} asleep` : '',
    counts.notWell > 0 ? `${counts.notWell} failing` : '',
    counts.neverStarted > 0 ? `${counts.neverStarted} not measured yet` : '',
    counts.disabled > 0 ? `${counts.disabled} disabled` : '',
  ];
  const all = `${plural(counts.toolboxes, 'toolbox')}, ${plural(counts.servers, 'server')}`;
  const told = parts.filter((part) => part !== '').join(', ');
  if (told === '') return all;
  return `${all}:${all.length + told.length + 4 > width ? '\n    ' : ' '}${told}`;
}
