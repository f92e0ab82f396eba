import type { Config, ServerConfig } from '../../config/config.js';
import type { Logins } from '../../downstream/http/oauth/logins.js';
import { loadPart } from '../../platform/load-part.js';
import { findConfiguration } from '../find-configuration.js';
import { findServer } from '../find-server.js';
import { type ExitCode, exitCodes } from '../screen/exit-codes.js';
import { usageFailure } from '../screen/failure.js';
import type { Output } from '../screen/output.js';
import { authCommandOf } from './auth-command.js';
import { listLogins } from './auth-list.js';
import { logIn } from './auth-login.js';
import type { Call } from './command.js';

/** `mcp-workbench auth [--logout] [TOOLBOX SERVER]` */
export async function run(call: Call): Promise<ExitCode> {
  const { words, flag, output } = call;
  const isLogout = flag('logout');
  if (isLogout && flag('no-browser')) return output.fail(usageFailure('--logout and --no-browser exclude each other.'));
  if (words.length === 0 && isLogout) return output.fail(usageFailure('--logout needs TOOLBOX and SERVER.'));
  const config = await configFor(call);
  if (words.length === 0) return listLogins(config, await openLogins(call), output, authCommandOf(call));
  const found = findServer(config, 'auth', words);
  if ('problem' in found) return output.fail(usageFailure(found.problem));
  const server = await settled(found, call);
  const { name, target } = server;
  if (target.kind === 'stdio' || target.kind === 'late')
    return output.fail(usageFailure(`${name} is started as a program; it has no login.`));
  if (target.kind !== 'remote') {
    const place = { toolbox: server.toolbox, server: name };
    return output.fail({ code: 'SERVER_UNAVAILABLE', message: target.reason, place, exit: exitCodes.failed });
  }
  const logins = await openLogins(call);
  if (!isLogout) return logIn({ call, logins, server, target, command: authCommandOf(call) });
  return reportLogout(await logins.forget(server), server, output);
}

function reportLogout(
  isLoggedOut: boolean,
  { toolbox, name }: { readonly toolbox: string; readonly name: string },
  output: Output,
): ExitCode {
  output.document({ toolbox, server: name, loggedOut: isLoggedOut });
  output.print(isLoggedOut ? `${output.mark('well')} ${name} is logged out.` : `${name} has no login.`);
  return exitCodes.well;
}

async function configFor({ value, computer, output }: Call): Promise<Config> {
  const say = (message: string) => output.say(message);
  return (await findConfiguration(value('config'), computer, { info: () => {}, warn: say, error: say })).load();
}

/** A login may need what the `envCommand` of a remote server prints: its client secret, or a part of its address. */
async function settled(server: ServerConfig, { computer, output }: Call): Promise<ServerConfig> {
  if (server.target.kind !== 'late' || server.target.draft.kind !== 'remote') return server;
  const { settleServer } = await loadPart(() => import('../../compose.js'));
  const say = (message: string) => output.say(message);
  return settleServer(server, computer, { info: () => {}, warn: say, error: say }, new AbortController().signal);
}

async function openLogins({ computer, output }: Call): Promise<Logins> {
  const logins = await loadPart(() => import('../../downstream/http/oauth/logins.js'));
  return logins.openLogins(computer, (message) => output.say(message));
}
