import { hasAuthorization } from '../../config/authorization-header.js';
import type { Config, ServerConfig } from '../../config/config.js';
import { messageOf } from '../../contract/errors.js';
import { authCommand } from '../../downstream/http/auth-command.js';
import type { LoginInfo, Logins } from '../../downstream/http/oauth/logins.js';
import { printableLine } from '../../text/printable.js';
import { shellQuote } from '../../text/shell-quote.js';
import { ago } from '../screen/amounts.js';
import { type ExitCode, exitCodes } from '../screen/exit-codes.js';
import type { Call } from './command.js';

const probeLimitMs = 5_000;

/** How a remote server stands with regard to logins. */
type State = 'authorized' | 'expired' | 'automatic' | 'needed' | 'rejected' | 'none' | 'unknown' | 'unavailable';

interface Row {
  readonly server: ServerConfig;
  readonly state: State;
  readonly login?: LoginInfo | undefined;
  /** Why it is unavailable. */
  readonly reason?: string | undefined;
}

/** Runs the `envCommand` of a server, if it has one. */
type Settle = (server: ServerConfig) => Promise<ServerConfig>;

/** `mcp-workbench auth`: who needs a login, and who has one. Servers without a login are asked, all at the same time. */
export async function listLogins(
  config: Config,
  logins: Logins,
  settle: Settle,
  { computer, output }: Pick<Call, 'computer' | 'output'>,
): Promise<ExitCode> {
  const command = (server: ServerConfig) => authCommand(server, computer);
  const servers = [...config.toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
  const remote = servers.filter(({ target, disabled }) => {
    const { kind } = target.kind === 'late' ? target.draft : target;
    return kind !== 'stdio' && !disabled;
  });
  const rows = await Promise.all(remote.map((server) => rowOf(server, logins, settle)));
  output.document({ servers: rows.map((row) => documentOf(row, command)) });
  if (rows.length === 0) output.print('No server has a URL. Programs have no login.');
  const names = rows.map(({ server }) => `${shellQuote(server.toolbox)} ${shellQuote(server.name)}`);
  const width = Math.max(0, ...names.map((name) => name.length));
  rows.forEach((row, index) => {
    const mark = marks[row.state];
    const shown = `${mark === undefined ? '' : `${output.mark(mark)} `}${textOf(row, command)}`;
    output.print(`${(names[index] ?? '').padEnd(width)}  ${shown}`);
  });
  return exitCodes.well;
}

const marks: Readonly<Partial<Record<State, 'well' | 'warning'>>> = {
  authorized: 'well',
  expired: 'warning',
  needed: 'warning',
  rejected: 'warning',
  unknown: 'warning',
  unavailable: 'warning',
};

async function rowOf(written: ServerConfig, logins: Logins, settle: Settle): Promise<Row> {
  const server = await settle(written).catch(messageOf);
  if (typeof server === 'string') return { server: written, state: 'unavailable', reason: server };
  const { target } = server;
  if (target.kind === 'broken') return { server, state: 'unavailable', reason: target.reason };
  if (target.kind !== 'remote') return { server, state: 'unavailable' };
  const isForProgram = target.oauth?.grant === 'client_credentials';
  const login = await logins.find(server);
  if (login !== undefined) return { server, login, state: isOver(login) && !isForProgram ? 'expired' : 'authorized' };
  if (isForProgram) return { server, state: 'automatic' };
  const isNeeded = await logins.needsLogin(server, AbortSignal.timeout(probeLimitMs)).catch(() => undefined);
  if (isNeeded !== true) return { server, state: isNeeded === undefined ? 'unknown' : 'none' };
  return { server, state: hasAuthorization(target) ? 'rejected' : 'needed' };
}

function isOver({ expires, isRenewable }: LoginInfo): boolean {
  return !isRenewable && expires !== undefined && expires.getTime() <= Date.now();
}

function textOf({ server, state, login, reason }: Row, command: (server: ServerConfig) => string): string {
  switch (state) {
    case 'authorized':
      return login === undefined ? '' : factsOf(login);
    case 'expired':
      return `${login === undefined ? '' : factsOf(login)}, expired: ${command(server)}`;
    case 'automatic':
      return 'gets a token by itself when it is used';
    case 'rejected':
      return 'rejects the header Authorization of its entry';
    case 'needed':
      return `needs a login: ${command(server)}`;
    case 'none':
      return 'needs no login';
    case 'unknown':
      return 'does not answer';
    case 'unavailable':
      return printableLine(reason ?? '');
  }
}

function factsOf({ issuer, scopes, since }: LoginInfo): string {
  const facts = [issuer, scopes.join(', '), ago(since.getTime(), Date.now())].map(printableLine);
  return facts.filter((fact) => fact !== '').join('  ');
}

function documentOf({ server, state, login, reason }: Row, command: (server: ServerConfig) => string): object {
  const next = state === 'needed' || state === 'expired' ? { next: command(server) } : {};
  const facts = { toolbox: server.toolbox, server: server.name, state };
  return { ...facts, ...(login && loginDocument(login)), ...(reason !== undefined && { reason }), ...next };
}

/** What is printed about a login as JSON. */
export function loginDocument({ issuer, scopes, since, expires, isRenewable }: LoginInfo): object {
  return { issuer, scopes, since, ...(expires !== undefined && { expires }), renewable: isRenewable };
}
