import type { ServerConfig } from '../../config/config.js';
import { WorkbenchError } from '../../contract/errors.js';
import { authCommand } from '../../downstream/http/auth-command.js';
import type { Logins } from '../../downstream/http/oauth/logins.js';
import { loadPart } from '../../platform/load-part.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findServer } from '../find-server.js';
import { type Output, usageFailure } from '../output.js';
import { readConfig } from '../read-config.js';
import { listLogins } from './auth-list.js';
import { logIn } from './auth-login.js';
import type { Call } from './command.js';

/** `mcp-workbench auth [--logout] [TOOLBOX SERVER]` */
export async function run(call: Call): Promise<ExitCode> {
  const { words, options, computer, output } = call;
  const isLogout = options['logout'] === true;
  if (isLogout && options['no-browser'] === true)
    return output.fail(usageFailure('--logout and --no-browser exclude each other.'));
  if (isLogout && words.length === 0) return output.fail(usageFailure('--logout needs TOOLBOX and SERVER.'));
  const path = typeof options['config'] === 'string' ? options['config'] : undefined;
  const config = await readConfig(path, computer, (message) => output.say(message));
  if (config === undefined)
    throw new WorkbenchError('CONFIG_NOT_FOUND', 'There is no configuration yet, so there are no servers.');
  if (words.length === 0) return listLogins(config, await openLogins(call), call);
  const server = findServer(config, words, (found) => authCommand(found, computer));
  if ('problem' in server) return output.fail(usageFailure(server.problem));
  const { name, target, toolbox } = server;
  if (target.kind === 'stdio') return output.fail(usageFailure(`${name} is started as a program; it has no login.`));
  if (target.kind === 'broken')
    throw new WorkbenchError('SERVER_UNAVAILABLE', target.reason, { place: { toolbox, server: name } });
  const logins = await openLogins(call);
  if (isLogout) return reportLogout(await logins.forget(server), server, output);
  return logIn({ call, logins, server, isForProgram: target.oauth?.grant === 'client_credentials' });
}

function reportLogout(isLoggedOut: boolean, { toolbox, name }: ServerConfig, output: Output): ExitCode {
  output.document({ toolbox, server: name, loggedOut: isLoggedOut });
  output.print(isLoggedOut ? `${output.mark('well')} ${name} is logged out.` : `${name} has no login.`);
  return exitCodes.well;
}

async function openLogins({ computer, output }: Call): Promise<Logins> {
  const logins = await loadPart(() => import('../../downstream/http/oauth/logins.js'));
  return logins.openLogins(computer, (message) => output.say(message));
}
