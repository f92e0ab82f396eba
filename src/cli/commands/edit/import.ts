import { clientOf } from '../../../clients/table/clients.js';
import { WorkbenchError } from '../../../contract/errors.js';
import { type FoundServers, findServers, readPlaces } from '../../../setup/find-servers.js';
import type { SetupPlan } from '../../../setup/setup-plan.js';
import { placeOfFile } from '../../../setup/source-file.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { clientNamed, requireInstalled } from '../clients/client-target.js';
import { printDone } from '../init/done-screen.js';
import { printFound, printProblems } from '../init/found-screen.js';
import { namesOf, planFacts, printPlan } from '../init/plan-screen.js';
import { runSetup } from '../init/run-setup.js';
import { pathOf, type SetupTarget } from '../init/setup-target.js';
import { printShared } from '../init/shared-screen.js';

/** `mcp-workbench import CLIENT|FILE` */
export async function runImport(call: Call): Promise<ExitCode> {
  const { words, value, computer, output } = call;
  const [word = ''] = words;
  return runSetup(
    {
      command: `import ${word}`,
      find: () => serversOf(word, call),
      toolbox: value('toolbox'),
      show: (plan, target) => show(plan, target, call),
      clients: async () => [],
      finish: (done) => printDone(`import ${word}`, done, computer, output),
    },
    call,
  );
}

/** Of a client, or of a file: a word with a separator or an ending is one. */
function serversOf(word: string, { computer }: Call): FoundServers {
  const client = clientOf(word);
  if (client !== undefined) {
    requireInstalled(client, { computer });
    return findServers(computer, [client]);
  }
  if (!/[/\\.]/.test(word)) clientNamed(word);
  const found = readPlaces([placeOfFile(pathOf(word, computer), computer)]);
  const [unreadable] = found.unreadable;
  if (unreadable !== undefined)
    throw new WorkbenchError('CLIENT_FILE_INVALID', `${unreadable.problem} Nothing was changed.`);
  return found;
}

function show(plan: SetupPlan, target: SetupTarget, { words, computer, output }: Call): ExitCode | undefined {
  const isNothing = plan.toolboxes.length === 0;
  if (isNothing) {
    output.document({ command: `import ${words[0]}`, ...planFacts(plan, target.path), written: false });
    const there = [...plan.fates].map(([{ found }]) => found.name);
    output.print(
      there.length === 0 ? `No server was found in ${words[0]}.` : `Nothing is new. Already there: ${namesOf(there)}.`,
    );
    printProblems(plan, computer, output);
    return exitCodes.well;
  }
  printFound(plan, computer, output);
  printShared(plan, target.path, computer, output);
  printPlan(plan, target.path, computer, output);
  return undefined;
}
