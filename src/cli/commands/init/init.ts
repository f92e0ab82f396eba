import type { Client } from '../../../clients/table/client.js';
import { exampleFile } from '../../../config/files/example-file.js';
import { version } from '../../../platform/version.js';
import { findServers } from '../../../setup/find-servers.js';
import type { SetupPlan } from '../../../setup/setup-plan.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { askToConnect } from './ask-setup.js';
import { clientsNamed, connectable, hasServers } from './client-plans.js';
import { printDone } from './done-screen.js';
import { printFound, printProblems } from './found-screen.js';
import { planFacts, printPlan } from './plan-screen.js';
import { runSetup } from './run-setup.js';
import type { SetupTarget } from './setup-target.js';
import { printShared } from './shared-screen.js';

/** `mcp-workbench init` */
export async function runInit(call: Call): Promise<ExitCode> {
  const { value, flag, computer, output } = call;
  const option = value('connect') ?? (flag('yes') ? 'none' : undefined);
  // A wrong name is said before anything else.
  if (option !== undefined) clientsNamed(option, []);
  const unconnected = (plan: SetupPlan) => connectable(plan.found, computer);
  return runSetup(
    {
      command: 'init',
      find: () => findServers(computer),
      show: (plan, target) => show(plan, target, call),
      async clients(plan): Promise<readonly Client[]> {
        const possible = unconnected(plan);
        if (option !== undefined) return clientsNamed(option, possible);
        if (possible.length === 0) return [];
        return askToConnect(possible, (client) => hasServers(client, plan.found), output);
      },
      finish: (done) => printDone('init', done, computer, output),
    },
    call,
  );
}

function show(plan: SetupPlan, target: SetupTarget, { computer, output, value }: Call): ExitCode | undefined {
  output.print(`MCP Workbench ${version}\n`);
  const hasFound = plan.found.sources.some(({ entries }) => entries.length > 0);
  if (!hasFound) return nothingFound(plan, target, { computer, output });
  printFound(plan, computer, output);
  printShared(plan, target.path, computer, output);
  printPlan(plan, target.path, computer, output);
  if (plan.toolboxes.length > 0 || value('connect') !== undefined) return undefined;
  if (plan.existing !== undefined && connectable(plan.found, computer).some((client) => hasServers(client, plan.found)))
    return undefined;
  output.document({ command: 'init', ...planFacts(plan, target.path), written: false });
  return exitCodes.well;
}

/** How to write a file by hand. */
function nothingFound(
  plan: SetupPlan,
  { path, config }: SetupTarget,
  { computer, output }: Pick<Call, 'computer' | 'output'>,
): ExitCode {
  output.document({ command: 'init', ...planFacts(plan, path), written: false });
  output.print('No server was found in the files of MCP clients.');
  printProblems(plan, computer, output);
  if (config !== undefined) return exitCodes.well;
  output.print(`Write ${shortPath(path, computer.home)} by hand, for example:\n`);
  output.print(exampleFile.trimEnd());
  output.print('');
  output.next(['mcp-workbench validate', 'mcp-workbench connect']);
  return exitCodes.well;
}
