import type { Client } from '../../../clients/table/client.js';
import { version } from '../../../platform/version.js';
import { findServers } from '../../../setup/find-servers.js';
import type { SetupPlan } from '../../../setup/setup-plan.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import type { Output } from '../../frame/screen/output.js';
import { canAsk } from '../../frame/screen/prompt.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { addExample } from '../../state/no-configuration.js';
import { offerGroups } from '../group/group.js';
import { askToConnect } from './ask-setup.js';
import { clientsNamed, connectable, hasServers, sortClients } from './client-plans.js';
import { printDone } from './done-screen.js';
import { printFound, printProblems } from './found-screen.js';
import { planFacts, printPlan } from './plan-screen.js';
import { withoutProject } from './project-files.js';
import { runSetup } from './run-setup.js';
import type { SetupTarget } from './setup-target.js';
import { printShared } from './shared-screen.js';

/** `mcp-workbench init` */
export async function runInit(call: Call): Promise<ExitCode> {
  const { value, flag, computer, output } = call;
  const option = value('connect') ?? (flag('yes') ? 'none' : undefined);
  // A wrong name is said before anything else.
  if (option !== undefined) clientsNamed(option, []);
  const find = await withoutProject(() => findServers(computer), 'init', call);
  const exit = await runSetup(
    {
      command: 'init',
      find,
      show: (plan, target) => show(plan, target, call),
      async clients(plan, config): Promise<readonly Client[]> {
        const possible = connectable(plan.found, computer);
        if (option !== undefined) return clientsNamed(option, possible);
        const { connected, open } = sortClients(possible, plan, config, computer);
        printConnected(connected, output);
        if (open.length === 0) return [];
        return askToConnect(open, (client) => hasServers(client, plan.found), output);
      },
      finish: (done) => printDone('init', done, computer, output),
    },
    call,
  );
  const mayAsk = !flag('yes') && !flag('dry-run') && output.width !== undefined && canAsk();
  if (exit === exitCodes.ok && mayAsk) await offerGroups(call);
  return exit;
}

function show(plan: SetupPlan, target: SetupTarget, call: Call): ExitCode | undefined {
  const { computer, output, value } = call;
  output.print(`MCP Workbench ${version}\n`);
  const hasFound = plan.found.sources.some(({ entries }) => entries.length > 0);
  if (!hasFound && target.config === undefined) return nothingFound(plan, target, call);
  if (hasFound) printFound(plan, computer, output);
  else printProblems(plan, computer, output);
  printShared(plan, target.path, computer, output);
  printPlan(plan, target.path, computer, output);
  if (plan.toolboxes.length > 0 || value('connect') !== undefined) return undefined;
  return isMoreToConnect(plan, target, call) ? undefined : nothingLeft(plan, target, call);
}

/** Whether a client has servers to move, or there is a terminal to ask about one without servers. */
function isMoreToConnect(plan: SetupPlan, { config }: SetupTarget, { computer, output, flag }: Call): boolean {
  if (config === undefined) return false;
  const { open } = sortClients(connectable(plan.found, computer), plan, config, computer);
  const isAsked = output.width !== undefined && canAsk() && !flag('yes') && !flag('dry-run');
  return isAsked ? open.length > 0 : open.some((client) => hasServers(client, plan.found));
}

function nothingLeft(plan: SetupPlan, { path, config }: SetupTarget, { computer, output }: Call): ExitCode {
  output.document({ command: 'init', ...planFacts(plan, path), written: false });
  if (config !== undefined) {
    const { connected, open } = sortClients(connectable(plan.found, computer), plan, config, computer);
    printConnected(connected, output);
    output.next(open.slice(0, 1).map(({ name }) => `mcp-workbench connect ${name}`));
  }
  return exitCodes.ok;
}

function printConnected(clients: readonly Client[], output: Output): void {
  for (const { title } of clients) output.print(`${output.mark('well')} ${title}: connected already`);
}

function nothingFound(
  plan: SetupPlan,
  { path }: SetupTarget,
  { computer, output }: Pick<Call, 'computer' | 'output'>,
): ExitCode {
  output.document({ command: 'init', ...planFacts(plan, path), written: false });
  output.print('No server was found in the files of MCP clients.');
  printProblems(plan, computer, output);
  output.printText(`Add one; it goes into ${shortPath(path, computer.home)}:\n`);
  output.print(`  ${addExample}`);
  return exitCodes.ok;
}
