import type { ServerConfig } from '../../../config/config.js';
import { hasAuthorization } from '../../../config/values/authorization-header.js';
import { authCommand } from '../../../downstream/http/auth-command.js';
import type { LoginInfo, Logins } from '../../../downstream/oauth/logins.js';
import { printableLine } from '../../../text/printable.js';
import { shellQuote } from '../../../text/shell-quote.js';
import type { Call } from '../../frame/command.js';
import { ago } from '../../frame/screen/amounts.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import type { Mark } from '../../frame/screen/marks.js';

const probeLimitMs = 5_000;

/** The login state of a remote server. */
type State = 'authorized' | 'expired' | 'automatic' | 'needed' | 'rejected' | 'none' | 'unknown' | 'unavailable';

interface Found {
  readonly server: ServerConfig;
  readonly state: State;
  readonly login?: LoginInfo | undefined;
}

/** `mcp-workbench auth`: who needs a login, and who has one. Servers without a login are asked, all at the same time. */
export async function listLogins(
  servers: readonly ServerConfig[],
  logins: Logins,
  { computer, output }: Pick<Call, 'computer' | 'output'>,
): Promise<ExitCode> {
  const command = (server: ServerConfig) => authCommand(server, computer);
  const found = await Promise.all(servers.map((server) => loginOf(server, logins)));
  output.document({ servers: found.map((one) => documentOf(one, command)) });
  if (found.length === 0) output.printText('No remote servers configured; only remote servers need a login.');
  const rows = found.map((one) => ({
    cells: [
      `${shellQuote(one.server.toolbox)} ${shellQuote(one.server.name)}`,
      `${output.mark(marks[one.state])} ${textOf(one)}`,
    ],
    ...noteOf(one, command),
  }));
  output.printRows(rows, {
    flexible: [
      [0, 24],
      [1, 20],
      [0, 12],
    ],
  });
  return exitCodes.ok;
}

const marks: Readonly<Record<State, Mark>> = {
  authorized: 'well',
  automatic: 'well',
  none: 'well',
  expired: 'warning',
  needed: 'warning',
  rejected: 'warning',
  unknown: 'unknown',
  unavailable: 'bad',
};

async function loginOf(server: ServerConfig, logins: Logins): Promise<Found> {
  const { target } = server;
  // Its program is not run for a list.
  if (target.kind === 'late') return { server, state: 'unknown' };
  if (target.kind !== 'remote') return { server, state: 'unavailable' };
  if (target.oauth?.grant === 'none') return { server, state: 'none' };
  const isForProgram = target.oauth?.grant === 'client_credentials';
  const login = await logins.find(server);
  if (login !== undefined) return { server, login, state: isOver(login) && !isForProgram ? 'expired' : 'authorized' };
  if (isForProgram) return { server, state: 'automatic' };
  const isNeeded = await logins.needsLogin(server, AbortSignal.timeout(probeLimitMs)).catch(() => undefined);
  if (isNeeded !== true) return { server, state: isNeeded === undefined ? 'unknown' : 'none' };
  return { server, state: hasAuthorization(target) ? 'rejected' : 'needed' };
}

function noteOf(found: Found, command: (server: ServerConfig) => string): { readonly note?: string } {
  const { state, server } = found;
  if (hasNext(found)) return { note: command(server) };
  const { target } = server;
  const credentials = target.kind === 'remote' && state === 'rejected' ? target.credentials : undefined;
  return credentials === undefined ? {} : { note: `change ${credentials}` };
}

function hasNext({ server, state }: Found): boolean {
  return state === 'needed' || state === 'expired' || server.target.kind === 'late';
}

function isOver({ expires, isRenewable }: LoginInfo): boolean {
  return !isRenewable && expires !== undefined && expires.getTime() <= Date.now();
}

function textOf({ server: { target }, state, login }: Found): string {
  switch (state) {
    case 'authorized':
      return login === undefined ? '' : factsOf(login);
    case 'expired':
      return `${login === undefined ? '' : factsOf(login)}, expired`;
    case 'automatic':
      return 'gets a token by itself when it is used';
    case 'rejected':
      return 'rejects the header Authorization of its entry';
    case 'needed':
      return 'needs a login';
    case 'none':
      return 'needs no login';
    case 'unknown':
      return target.kind === 'late' ? 'not asked: its envCommand has not run' : 'does not answer';
    case 'unavailable':
      return reasonOf(target) ?? '';
  }
}

function reasonOf(target: ServerConfig['target']): string | undefined {
  return target.kind === 'broken' ? printableLine(target.reason) : undefined;
}

function factsOf({ issuer, scopes, since }: LoginInfo): string {
  const facts = [issuer, scopes.join(', '), ago(since.getTime(), Date.now())].map(printableLine);
  return facts.filter((fact) => fact !== '').join('  ');
}

function documentOf(found: Found, command: (server: ServerConfig) => string): object {
  const { server, state, login } = found;
  const reason = reasonOf(server.target);
  return {
    ...{ toolbox: server.toolbox, server: server.name, state },
    ...(login && loginDocument(login)),
    ...(reason !== undefined && { reason }),
    ...(hasNext(found) && { next: command(server) }),
  };
}

/** What is printed about a login as JSON. */
export function loginDocument({ issuer, scopes, since, expires, isRenewable }: LoginInfo): object {
  return { issuer, scopes, since, ...(expires !== undefined && { expires }), renewable: isRenewable };
}
