import { type FoundProcess, listSessions } from '../../../inspect/list-sessions.js';
import { serverProcesses } from '../../../inspect/server-processes.js';
import type { CallStatus, ProcessStatus, ServerProcess, SessionStatus } from '../../../observe/status/protocol.js';
import { clientTitle } from '../../../text/client-title.js';
import type { Call } from '../../frame/command.js';
import { namedHost } from '../../frame/named-host.js';
import { duration, plural } from '../../frame/screen/amounts.js';
import type { Row } from '../../frame/screen/columns.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { callFacts, callTexts } from '../../state/running-call.js';

/** `mcp-workbench ps [--why]`. Starts nothing. */
export async function runPs(call: Call): Promise<ExitCode> {
  const { output } = call;
  const found = await listSessions({ host: namedHost(call), warn: (message) => output.say(message) });
  output.document({ processes: found.map(factsOf) });
  if (found.length === 0) output.print('Nothing runs. Servers start with the first call.');
  const hosts = found.filter((one) => one.is === 'known' && one.host !== undefined);
  const rows = [...hosts, ...found.filter((one) => !hosts.includes(one))].flatMap((one) => rowsOf(one, call));
  output.printRows(rows, {
    flexible: [
      [4, 16],
      [3, 14],
      [2, 12],
    ],
  });
  return exitCodes.ok;
}

function factsOf(found: FoundProcess): object {
  if (found.is !== 'known') return { pid: found.pid, state: found.is };
  const { pid, version, sessions, host } = found;
  return {
    pid,
    state: 'known',
    kind: host === undefined ? 'session' : 'host',
    version,
    name: host?.name,
    since: host === undefined ? undefined : new Date(host.since).toISOString(),
    sessions: sessions.map(({ id, client, config, cwd, front, why }) => ({ id, client, config, cwd, front, why })),
    servers: serverProcesses(found),
    calls: sessions.flatMap(({ calls }) => calls.map(callFacts)),
  };
}

function rowsOf(found: FoundProcess, call: Call): Row[] {
  if (found.is !== 'known') {
    const what = found.is === 'silent' ? 'does not answer' : 'is of another version';
    return [{ cells: [`Process ${found.pid} ${what}`], isHeading: true }];
  }
  const servers = serverProcesses(found);
  return [
    { cells: [headingOf(found, servers)], isHeading: true },
    ...found.sessions.map((session) => sessionRow(session, found, call)),
    ...servers.map((server) => serverRow(server, found, call)),
    ...found.sessions.flatMap(({ calls }) => calls.map(callRow)),
  ];
}

function headingOf({ pid, host, sessions }: ProcessStatus, servers: readonly ServerProcess[]): string {
  if (host === undefined) return `Session ${pid}, which runs its servers itself`;
  // A host reports the processes of a session a moment before the session itself.
  const count = new Set([...sessions.map(({ id }) => id), ...servers.flatMap((server) => server.sessions)]).size;
  const up = duration(Date.now() - host.since);
  return `Host ${pid}${host.name === undefined ? '' : ` (${host.name})`}, ${plural(count, 'session')}, ${plural(servers.length, 'server')}, up ${up}`;
}

function sessionRow(session: SessionStatus, { pid, cwd, host }: ProcessStatus, { flag, computer, output }: Call): Row {
  const { client, front = pid, cwd: its = cwd, config } = session;
  const shown = (path: string) => (output.width === undefined ? path : shortPath(path, computer.home));
  const file = config === null ? 'no configuration' : shown(config);
  const why = host === undefined && flag('why') ? (session.why ?? 'sharing is turned off (WORKBENCH_SHARED, CI)') : '';
  return {
    indent: 2,
    cells: ['session', String(front), clientTitle(client?.name ?? ''), shown(its), file],
    ...(why !== '' && { note: why }),
  };
}

function serverRow(row: ServerProcess, found: ProcessStatus, { flag }: Call): Row {
  const { toolbox, server, pid, sessions } = row;
  const fronts = sessions.flatMap((id) => found.sessions.find((one) => one.id === id)?.front ?? []);
  const known = fronts.length < sessions.length ? plural(sessions.length, 'session') : fronts.join(', ');
  const users = found.host === undefined ? '' : `for ${known || 'no session now'}`;
  return {
    indent: 2,
    cells: ['server', pid === undefined ? '' : String(pid), `${toolbox} ${server}`, users],
    ...(flag('why') && found.host !== undefined && { note: sharingOf(row, found.host.processes) }),
  };
}

function callRow(running: CallStatus): Row {
  const { id, toolbox, server, tool } = running;
  return { indent: 2, cells: ['call', id, `${toolbox} ${server} ${tool}`, ...callTexts(running)] };
}

function sharingOf({ toolbox, server, reason, differsIn }: ServerProcess, all: readonly ServerProcess[]): string {
  if (reason !== undefined) return `not shared: ${reason}`;
  if (differsIn === undefined) return 'shared';
  const first = all.find((one) => one.toolbox === toolbox && one.server === server && one.reason === undefined);
  return `shared, but not with ${first?.pid ?? 'another'}: other ${differsIn.join(', ')}`;
}
