import { isWorkbenchError } from '../../../contract/errors.js';
import type { Tool } from '../../../contract/types.js';
import { type KnownServer, knownServers } from '../../../inspect/known-servers.js';
import { ownCommand } from '../../../text/own-command.js';
import { findAddress, noTool } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { serverFailure } from '../../state/server-failure.js';
import { listOnce } from '../list/list-once.js';
import { searchTools } from './search-tools.js';
import { printOverview, printServer, printTool, serverFacts, toolFacts } from './tool-screens.js';

/** `mcp-workbench tools [TOOLBOX [SERVER [TOOL]]]`. Starts a server only if it is named and was never listed. */
export async function runTools(call: Call): Promise<ExitCode> {
  const { words, flag, value, computer, output } = call;
  const query = value('search');
  if (query !== undefined && words.length > 2) return output.fail(usageFailure('--search takes [TOOLBOX [SERVER]].'));
  const configured = await readConfigured(value('config'), computer, (message) => output.say(message));
  if (configured === undefined) return noConfiguration(computer, output);
  const { toolbox, server, tool } = findAddress(words, configured.toolboxes, 'tools', sameConfig(call));
  const wanted = { toolbox: toolbox?.name, server: server?.name };
  if (server === undefined || query !== undefined) {
    const servers = await knownServers(configured, computer, wanted);
    if (query !== undefined) return searchTools(query, servers, call);
    output.document({ config: configured.path, servers: servers.map(serverFacts) });
    printOverview(servers, call);
    return exitCodes.ok;
  }
  const [known] = await knownServers(configured, computer, wanted);
  const listed = known?.tools !== undefined || flag('offline') ? known : await startAndList(call, configured, wanted);
  return typeof listed === 'number' ? listed : show(listed, tool, call);
}

function show(server: KnownServer | undefined, tool: string | undefined, call: Call): ExitCode {
  const { words, output } = call;
  if (server?.tools === undefined) {
    const [toolbox = '', name = ''] = words;
    return output.fail({
      code: 'NOT_LISTED',
      message: `Tools of server '${name}' (toolbox '${toolbox}') are not known; --offline starts nothing.`,
      place: { toolbox, server: name },
      next: ownCommand('tools', [toolbox, name], sameConfig(call)),
      exit: exitCodes.failed,
    });
  }
  if (tool === undefined) {
    output.document(serverFacts(server));
    printServer(server, call);
    return exitCodes.ok;
  }
  const found = server.tools.find(({ name }: Tool) => name === tool);
  if (found === undefined)
    throw noTool(
      words,
      server.tools.map(({ name }) => name),
    );
  output.document({ toolbox: server.toolbox, server: server.server, tool: toolFacts(found, server) });
  printTool(found, server, call);
  return exitCodes.ok;
}

/** The exit code if that fails. */
async function startAndList(
  call: Call,
  configured: Configured,
  { toolbox = '', server = '' }: { toolbox: string | undefined; server: string | undefined },
): Promise<KnownServer | ExitCode> {
  try {
    return await listOnce(call, { toolbox, server });
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    return call.output.fail(serverFailure(error, configured, call));
  }
}
