import type { Config, ServerConfig } from '../../../config/config.js';
import { findFile } from '../../../config/read/find-file.js';
import { readLockOf } from '../../../inspect/lock-changes.js';
import { ownCommand } from '../../../text/own-command.js';
import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { plural, seconds } from '../../frame/screen/amounts.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { showLive } from '../../frame/screen/live-lines.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { only, withSession } from '../../frame/with-session.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { strayNoteOf } from '../../state/stray-note.js';
import { checkClients } from '../clients/check-clients.js';
import type { ClientReport } from '../clients/client-report.js';
import { checkServers, type Running } from './check-servers.js';
import { printClients } from './client-screen.js';
import { printReports } from './doctor-screen.js';
import { type Hint, hintsFor } from './hints.js';
import { checkHost, type HostReport, printHost } from './host-report.js';
import { packagesOf } from './packages.js';
import type { ServerReport } from './server-report.js';
import { uselessDefaults } from './useless-rules.js';

/** The package is probably being downloaded. */
const downloadAfterMs = 5_000;

/** `mcp-workbench doctor [TOOLBOX [SERVER]]` */
export async function runDoctor(call: Call): Promise<ExitCode> {
  const { words, flag, value, computer, output } = call;
  const configured = await readConfigured(value('config'), computer, (message) => output.say(message));
  if (configured === undefined) return noConfiguration(computer, output);
  const { toolbox, server } = findAddress(words, configured.toolboxes, 'doctor', sameConfig(call));
  // Before servers are started: what is seen for the first time then has not changed.
  const compare = await readLockOf(configured.path, computer);
  const running: Running = new Map();
  const live = showLive(process.stderr, output.signs.ellipsis, () =>
    Array.from(running, (one) => liveLine(one, output)),
  );
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
        const wishes = { mayOpenBrowser: server !== undefined, command: commandsFor(call), compare, strayNotes };
        const servers = [...config.toolboxes.values()].flatMap((box) => [...box.servers.values()]);
        const checking = { session, servers, signal, listed: [] };
        const reports = await checkServers(checking, running, wishes);
        // Of a part of the configuration it is not known what rules of `defaults` are for.
        const aboutDefaults = words.length > 0 ? [] : uselessDefaults(config, reports, checking.listed);
        const warnings = [...config.warnings, ...aboutDefaults];
        const host = words.length === 0 ? await hostReport(config, call) : undefined;
        const hints = hintsFor(config, reports, process.versions.node);
        return { host, clients, reports, warnings, hints };
      },
    );
  } finally {
    live.end();
  }
  const { host, clients, reports, hints, warnings } = found;
  const isWell = [...clients, ...reports].every(({ state }) => state !== 'failed' && state !== 'unauthorized');
  output.document({ config: configured.path, warnings, well: isWell, host, clients, servers: reports, hints });
  printConfiguration(configured, warnings, call);
  if (host !== undefined) printHost(host, computer.home, output);
  printClients(clients, output, {
    home: computer.home,
    connect: (client) => ownCommand('connect', [client], sameConfig(call)),
  });
  printReports(found, output, {
    hints: flag('hints') ? undefined : ownCommand('doctor', words, ['--hints', ...sameConfig(call)]),
    doctor: (...address) => ownCommand('doctor', address, sameConfig(call)),
    approve: (...address) => ownCommand('approve', address, sameConfig(call)),
  });
  return isWell ? exitCodes.well : exitCodes.serverNotWell;
}

/** Files of clients are looked at only if all is to be checked. */
async function clientReports(signal: AbortSignal, { value, computer }: Call): Promise<ClientReport[]> {
  const { file } = await findFile(value('config'), computer, () => {});
  return checkClients(file, computer, signal);
}

/** The same. */
async function hostReport(config: Config, { value, computer }: Call): Promise<HostReport> {
  const { file } = await findFile(value('config'), computer, () => {});
  return checkHost(computer, { shared: config.shared, text: file?.text }, value('host-name'));
}

interface Findings {
  readonly host: HostReport | undefined;
  readonly clients: readonly ClientReport[];
  readonly reports: readonly ServerReport[];
  readonly hints: readonly Hint[];
  /** About the configuration. */
  readonly warnings: readonly string[];
}

/** Only commands that exist are named. */
function commandsFor(call: Call) {
  return (name: string, { toolbox, name: server }: ServerConfig) =>
    call.commands.some((command) => command.name === name)
      ? ownCommand(name, [toolbox, server], sameConfig(call))
      : undefined;
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

/** `› starting github … 1.9 s (limit 120 s)` */
function liveLine([{ toolbox, name, target, limits }, began]: [ServerConfig, number], { signs }: Output): string {
  const elapsedMs = performance.now() - began;
  const doing = elapsedMs > downloadAfterMs && packagesOf(target) !== undefined ? 'downloading?' : 'starting';
  const limit = `limit ${Math.round(limits.startTimeoutMs / 1_000)} s`;
  return `${signs.talk} ${doing} ${toolbox} ${name} ${signs.ellipsis} ${seconds(elapsedMs)} (${limit})`;
}
