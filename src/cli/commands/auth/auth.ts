import type { Config, ServerConfig } from '../../../config/config.js';
import { WorkbenchError } from '../../../contract/errors.js';
import type { Logins } from '../../../downstream/oauth/logins.js';
import { loadPart } from '../../../platform/load-part.js';
import { findAddress, whichServer } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { untilInterrupted } from '../../frame/interrupts.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import type { Output } from '../../frame/screen/output.js';
import { trustedConfiguration } from '../../frame/trusted-configuration.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { listLogins } from './auth-list.js';
import { logIn } from './auth-login.js';

/** `mcp-workbench auth [--logout] [TOOLBOX SERVER]` */
export async function runAuth(call: Call): Promise<ExitCode> {
  const { words, flag, value, computer, output } = call;
  const isLogout = flag('logout');
  if (isLogout && flag('no-browser')) return output.fail(usageFailure('--logout and --no-browser exclude each other.'));
  if (isLogout && words.length === 0) return output.fail(usageFailure('--logout needs TOOLBOX and SERVER.'));
  const configured = await readConfigured(value('config'), computer, () => {});
  if (configured === undefined) return noConfiguration(computer, output);
  const address = findAddress(words, configured.toolboxes, 'auth', sameConfig(call));
  const config = await configFor(call);
  if (address.toolbox === undefined) return listLogins(remoteServers(configured, config), await openLogins(call), call);
  if (address.server === undefined) throw whichServer(address.toolbox);
  if (address.server.entry.command !== undefined)
    return output.fail(usageFailure(`${address.server.name} is started as a program; it has no login.`));
  const server = await serverFor(call, config);
  const { name, target, toolbox } = server;
  if (target.kind !== 'remote') {
    const reason = target.kind === 'broken' ? target.reason : 'its target is not known';
    throw new WorkbenchError('SERVER_UNAVAILABLE', reason, { place: { toolbox, server: name } });
  }
  if (target.oauth?.grant === 'none')
    return output.fail(usageFailure(`${name} has no login: its entry says so, by "oauth".`));
  const logins = await openLogins(call);
  if (isLogout) return reportLogout(await logins.forget(server), server, output);
  return logIn({ call, logins, server, isForProgram: target.oauth?.grant === 'client_credentials' });
}

async function configFor(call: Call): Promise<Config> {
  const say = (message: string) => call.output.say(message);
  return (await trustedConfiguration(call, { info: () => {}, warn: say, error: say })).load();
}

/** By what is written: an entry that cannot be used has no target. */
function remoteServers({ toolboxes }: Configured, config: Config): ServerConfig[] {
  const servers = [...config.toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
  return servers.filter(({ toolbox, name, disabled }) => {
    const entry = toolboxes.get(toolbox)?.mcpServers.get(name);
    return entry?.command === undefined && !disabled;
  });
}

/** A login may need what the `envCommand` of a remote server prints: its client secret, or a part of its address. */
async function serverFor({ words, computer, output }: Call, { toolboxes }: Config): Promise<ServerConfig> {
  const [toolbox = '', name = ''] = words;
  const server = toolboxes.get(toolbox)?.servers.get(name);
  if (server === undefined) throw new WorkbenchError('SERVER_NOT_FOUND', `Which server of toolbox '${toolbox}'?`);
  if (server.target.kind !== 'late') return server;
  const { settleServer } = await loadPart(() => import('../../../compose.js'));
  const say = (message: string) => output.say(message);
  const log = { info: () => {}, warn: say, error: say };
  return untilInterrupted((signal) => settleServer(server, computer, log, signal));
}

function reportLogout(isLoggedOut: boolean, { toolbox, name }: ServerConfig, output: Output): ExitCode {
  output.document({ toolbox, server: name, loggedOut: isLoggedOut });
  output.printText(isLoggedOut ? `${output.mark('well')} ${name}: login removed.` : `${name} has no login.`);
  return exitCodes.ok;
}

async function openLogins({ computer, output }: Call): Promise<Logins> {
  const logins = await loadPart(() => import('../../../downstream/oauth/logins.js'));
  return logins.openLogins(computer, (message) => output.say(message));
}
