import type { ServerConfig } from '../../../config/config.js';
import { findFile } from '../../../config/read/find-file.js';
import { credentialsSource } from '../../../config/resolve/credentials-source.js';
import { nextStep } from '../../../contract/next-step.js';
import { readLockOf } from '../../../inspect/lock-changes.js';
import { ownCommand } from '../../../text/own-command.js';
import type { ServerFailure } from '../../../workbench/ports/observer.js';
import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { plural } from '../../frame/screen/amounts.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { only, withSession } from '../../frame/with-session.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { startTokens } from '../../state/start-tokens.js';
import { strayNoteOf } from '../../state/stray-note.js';
import { checkClients } from '../clients/check-clients.js';
import type { ClientReport } from '../clients/client-report.js';
import { checkServers } from './check-servers.js';
import { printClients } from './client-screen.js';
import { printReports } from './doctor-screen.js';
import { type Hint, hintsFor } from './hints.js';
import { checkHost, type HostReport, printHost } from './host-report.js';
import { checkHttp } from './http-report.js';
import { type HttpCheck, printHttp } from './http-screen.js';
import { type Running, showStarts } from './live-starts.js';
import type { ServerReport } from './server-report.js';
import { uselessDefaults } from './useless-rules.js';

/** `mcp-workbench doctor [TOOLBOX [SERVER]]` */
export async function runDoctor(call: Call): Promise<ExitCode> {
  const { words, flag, value, computer, output } = call;
  const configured = await readConfigured(value('config'), computer, (message) => output.say(message));
  if (configured === undefined) return noConfiguration(computer, output);
  const { toolbox, server } = findAddress(words, configured.toolboxes, 'doctor', sameConfig(call));
  // Before servers are started: what is seen for the first time then has not changed.
  const compare = await readLockOf(configured.path, computer);
  const running: Running = new Map();
  const live = showStarts(running, output);
  let found: Findings;
  try {
    found = await withSession(
      call,
      () => ({}),
      async ({ session, config: whole, signal }) => {
        const config = only(whole, toolbox?.name, server?.name);
        const clients = words.length === 0 ? await clientReports(signal, call) : [];
        const strayNotes = async (one: ServerConfig) =>
          [await strayNoteOf(one.target, configured.namedFile, computer)].filter((note) => note !== undefined);
        const wishes = {
          mayOpenBrowser: server !== undefined,
          advice: adviceIn(configured, call),
          compare,
          strayNotes,
        };
        const servers = [...config.toolboxes.values()].flatMap((box) => [...box.servers.values()]);
        const checking = { session, servers, signal, listed: [] };
        const reports = await checkServers(checking, running, wishes);
        // Of a part of the configuration it is not known what rules of `defaults` are for.
        const aboutDefaults = words.length > 0 ? [] : uselessDefaults(config, reports, checking.listed);
        const warnings = [...config.warnings, ...aboutDefaults];
        const host = words.length === 0 ? await checkHost(computer, configured.file, value('host-name')) : undefined;
        const http = words.length === 0 ? await checkHttp(call, signal) : undefined;
        const hints = hintsFor(config, reports, process.versions.node);
        return { host, http, clients, reports, warnings, hints };
      },
    );
  } finally {
    live.end();
  }
  const { host, http, clients, reports, hints, warnings } = found;
  const isWell = [...(http ?? []), ...clients, ...reports].every(
    ({ state }) => state !== 'failed' && state !== 'unauthorized',
  );
  output.document({ config: configured.path, warnings, well: isWell, host, http, clients, servers: reports, hints });
  printConfiguration(configured, warnings, call);
  if (host !== undefined) printHost(host, computer.home, output);
  if (http !== undefined) printHttp(http, output);
  printClients(clients, output, {
    home: computer.home,
    connect: (client) => ownCommand('connect', [client], sameConfig(call)),
  });
  printReports(found, output, {
    hints: flag('hints') ? undefined : ownCommand('doctor', words, ['--hints', ...sameConfig(call)]),
    doctor: (...address) => ownCommand('doctor', address, sameConfig(call)),
    enable: (...address) => (server === undefined ? undefined : ownCommand('enable', address, sameConfig(call))),
    startTokens: words.length === 0 ? startTokens(configured) : undefined,
    approve: (...address) => ownCommand('approve', address, sameConfig(call)),
  });
  return isWell ? exitCodes.ok : exitCodes.serverFailing;
}

/** Files of clients are looked at only if all is to be checked. */
async function clientReports(signal: AbortSignal, { value, computer }: Call): Promise<ClientReport[]> {
  const { file } = await findFile(value('config'), computer, () => {});
  return checkClients(file, computer, signal);
}

interface Findings {
  readonly host: HostReport | undefined;
  readonly http: readonly HttpCheck[] | undefined;
  readonly clients: readonly ClientReport[];
  readonly reports: readonly ServerReport[];
  readonly hints: readonly Hint[];
  /** About the configuration. */
  readonly warnings: readonly string[];
}

/** The next step in words, or as a command: that of the log, where others name this one. */
function adviceIn({ toolboxes }: Configured, call: Call) {
  return ({ toolbox, name: server, target }: ServerConfig, { kind, reason }: ServerFailure): string | undefined => {
    const entry = toolboxes.get(toolbox)?.mcpServers.get(server);
    const { says, command: [name, ...words] = [] } = nextStep({
      ...{ toolbox, server, kind, reason, isBroken: target.kind === 'broken' },
      state: kind === 'unauthorized' ? 'unauthorized' : 'failed',
      credentials: entry && credentialsSource(entry),
    });
    const isHere = name === 'doctor';
    if (name === undefined || (isHere && says !== undefined)) return says;
    const line = ownCommand(isHere ? 'logs' : name, words, sameConfig(call));
    return says === undefined ? line : `${says}: ${line}`;
  };
}

function printConfiguration(
  { path, toolboxes }: Configured,
  warnings: readonly string[],
  { computer, output }: Call,
): void {
  const servers = [...toolboxes.values()].reduce((sum, { mcpServers }) => sum + mcpServers.size, 0);
  const shown = output.width === undefined ? path : shortPath(path, computer.home);
  const content = `${plural(toolboxes.size, 'toolbox')}, ${plural(servers, 'server')}`;
  output.print(wrapped(`Configuration  ${output.mark('well')} ${shown}, ${content}`, output.width, 0, 17));
  for (const warning of warnings) output.print(wrapped(`${output.mark('warning')} ${warning}`, output.width, 2, 4));
}
