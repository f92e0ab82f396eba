import type { Config, ServerConfig } from '../../config/config.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { Logins } from '../../downstream/http/oauth/logins.js';
import { loadPart } from '../../platform/load-part.js';
import { printableLine } from '../../text/printable.js';
import { findAddress } from '../addresses.js';
import { readConfigured } from '../configured.js';
import { findConfiguration } from '../find-configuration.js';
import { type ExitCode, exitCodes } from '../screen/exit-codes.js';
import { usageFailure } from '../screen/failure.js';
import type { Output } from '../screen/output.js';
import { listLogins } from './auth-list.js';
import { logIn } from './auth-login.js';
import { type Call, sameConfig } from './command.js';

/** `mcp-workbench auth [--logout] [TOOLBOX SERVER]` */
export async function run(call: Call): Promise<ExitCode> {
  const { words, flag, output } = call;
  const isLogout = flag('logout');
  if (isLogout && flag('no-browser')) return output.fail(usageFailure('--logout and --no-browser exclude each other.'));
  if (isLogout && words.length === 0) return output.fail(usageFailure('--logout needs TOOLBOX and SERVER.'));
  const config = await configFor(call);
  if (words.length === 0) return listLogins(config, await openLogins(call), (server) => settled(server, call), call);
  const server = await settled(serverFor(call, config), call);
  const { name, target, toolbox } = server;
  if (target.kind === 'stdio' || target.kind === 'late')
    return output.fail(usageFailure(`${name} is started as a program; it has no login.`));
  if (target.kind === 'broken')
    throw new WorkbenchError('SERVER_UNAVAILABLE', target.reason, { place: { toolbox, server: name } });
  const logins = await openLogins(call);
  if (isLogout) return reportLogout(await logins.forget(server), server, output);
  return logIn({ call, logins, server, isForProgram: target.oauth?.grant === 'client_credentials' });
}

/** Throws if there is no file, or a word names nothing in it. */
async function configFor(call: Call): Promise<Config> {
  const { words, value, computer, output } = call;
  const say = (message: string) => output.say(message);
  const configured = await readConfigured(value('config'), computer, () => {});
  if (configured === undefined)
    throw new WorkbenchError('CONFIG_NOT_FOUND', 'There is no configuration yet, so there are no servers.');
  findAddress(words, configured.toolboxes, 'auth', sameConfig(call));
  return (await findConfiguration(value('config'), computer, { info: () => {}, warn: say, error: say })).load();
}

function serverFor({ words }: Call, { toolboxes }: Config): ServerConfig {
  const [toolbox = '', name = ''] = words;
  const servers = toolboxes.get(toolbox)?.servers;
  const server = servers?.get(name);
  if (server !== undefined) return server;
  const names = [...(servers?.keys() ?? [])].map(printableLine).join(', ');
  throw new WorkbenchError('SERVER_NOT_FOUND', `Which server of toolbox '${toolbox}'? There are: ${names}`);
}

/** A login may need what the `envCommand` of a remote server prints: its client secret, or a part of its address. */
async function settled(server: ServerConfig, { computer, output }: Call): Promise<ServerConfig> {
  if (server.target.kind !== 'late' || server.target.draft.kind !== 'remote') return server;
  const { settleServer } = await loadPart(() => import('../../compose.js'));
  const say = (message: string) => output.say(message);
  return settleServer(server, computer, { info: () => {}, warn: say, error: say }, new AbortController().signal);
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
