import { type FoundProcess, listSessions } from '../../../inspect/list-sessions.js';
import { serverProcesses } from '../../../inspect/server-processes.js';
import type {
  CallStatus,
  ProcessStatus,
  ServerProcess,
  ServiceStatus,
  SessionStatus,
} from '../../../observe/status/protocol.js';
import { localUser } from '../../../session/principal.js';
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
  const hosts = found.filter((one) => one.is === 'known' && (one.host ?? one.service) !== undefined);
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
  const { pid, version, sessions, host, service } = found;
  const since = (host ?? service)?.since;
  return {
    pid,
    state: 'known',
    kind: service !== undefined ? 'service' : host === undefined ? 'session' : 'host',
    version,
    name: host?.name,
    url: service?.url,
    since: since === undefined ? undefined : new Date(since).toISOString(),
    sessions: sessions.map(({ id, client, config, cwd, front, why, user }) => ({
      ...{ id, client, config, cwd, front, why },
      user: service === undefined ? undefined : (user ?? localUser.key),
    })),
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

function headingOf(found: ProcessStatus, servers: readonly ServerProcess[]): string {
  const { pid, host, service, sessions } = found;
  if (service !== undefined) return serviceHeading(found, service, servers);
  if (host === undefined) return `Session ${pid}, which runs its servers itself`;
  // A host reports the processes of a session a moment before the session itself.
  const count = new Set([...sessions.map(({ id }) => id), ...servers.flatMap((server) => server.sessions)]).size;
  const up = duration(Date.now() - host.since);
  return `Host ${pid}${host.name === undefined ? '' : ` (${host.name})`}, ${plural(count, 'session')}, ${plural(servers.length, 'server')}, up ${up}`;
}

/** `Service 4711 at https://mcp.example.com/mcp, 2 users, 3 sessions, 4 servers, up 5 min` */
function serviceHeading(
  { pid, sessions }: ProcessStatus,
  { url, since }: ServiceStatus,
  servers: readonly ServerProcess[],
): string {
  const users = new Set(sessions.flatMap(({ user }) => user ?? [])).size;
  const counts = [
    ...(users === 0 ? [] : [plural(users, 'user')]),
    plural(sessions.length, 'session'),
    plural(servers.length, 'server'),
  ];
  return `Service ${pid} at ${url}, ${counts.join(', ')}, up ${duration(Date.now() - since)}`;
}

function sessionRow(session: SessionStatus, found: ProcessStatus, { flag, computer, output }: Call): Row {
  const { pid, cwd, host, service } = found;
  const { client, front = pid, cwd: its = cwd, config } = session;
  const shown = (path: string) => (output.width === undefined ? path : shortPath(path, computer.home));
  const file = config === null ? 'no configuration' : shown(config);
  // Its directory is that of the service, or of the user.
  if (service !== undefined)
    return { indent: 2, cells: ['session', 'http', clientTitle(client?.name ?? ''), userText(session), file] };
  const why = host === undefined && flag('why') ? (session.why ?? 'sharing is turned off (WORKBENCH_SHARED, CI)') : '';
  return {
    indent: 2,
    cells: ['session', String(front), clientTitle(client?.name ?? ''), shown(its), file],
    ...(why !== '' && { note: why }),
  };
}

function userText({ user }: SessionStatus): string {
  return user === undefined ? localUser.key : `user ${user}`;
}

function serverRow(row: ServerProcess, found: ProcessStatus, { flag }: Call): Row {
  const { toolbox, server, pid } = row;
  const pool = found.host ?? found.service;
  return {
    indent: 2,
    cells: ['server', pid === undefined ? '' : String(pid), `${toolbox} ${server}`, usersOf(row, found)],
    ...(flag('why') && pool !== undefined && { note: sharingOf(row, pool.processes) }),
  };
}

/** Whose a process is: sessions of a host, users of a service. */
function usersOf({ sessions }: ServerProcess, found: ProcessStatus): string {
  if (found.service !== undefined) {
    const own = found.sessions.filter(({ id }) => sessions.includes(id));
    return own.length === 0 ? 'for no session now' : `for ${[...new Set(own.map(userText))].join(', ')}`;
  }
  const fronts = sessions.flatMap((id) => found.sessions.find((one) => one.id === id)?.front ?? []);
  const known = fronts.length < sessions.length ? plural(sessions.length, 'session') : fronts.join(', ');
  return found.host === undefined ? '' : `for ${known || 'no session now'}`;
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
