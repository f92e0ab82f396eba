import { isUserFile } from '../../../clients/files/client-places.js';
import { clientOf } from '../../../clients/table/clients.js';
import { WorkbenchError } from '../../../contract/errors.js';
import { maxClientFileBytes } from '../../../limits.js';
import { type FoundServers, findServers, readPlaces } from '../../../setup/find-servers.js';
import { sourceOf } from '../../../setup/pasted/pasted-source.js';
import { readPasted } from '../../../setup/pasted/read-pasted.js';
import type { SetupPlan } from '../../../setup/setup-plan.js';
import { placeOfFile } from '../../../setup/source-file.js';
import type { Call } from '../../frame/command.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { namesOf } from '../../frame/screen/names.js';
import { closeKeyboard, openKeyboard } from '../../frame/screen/prompt.js';
import { clientNamed, requireInstalled } from '../clients/client-target.js';
import { printDone } from '../init/done-screen.js';
import { printFound, printProblems } from '../init/found-screen.js';
import { planFacts, printPlan } from '../init/plan-screen.js';
import { withoutProject } from '../init/project-files.js';
import { runSetup } from '../init/run-setup.js';
import { pathOf, type SetupTarget, setupTarget } from '../init/setup-target.js';
import { printShared } from '../init/shared-screen.js';
import { toolboxesIn, whichToolbox } from './add-pasted.js';

/** `mcp-workbench import CLIENT|FILE|-` */
export async function runImport(call: Call): Promise<ExitCode> {
  const [word = ''] = call.words;
  if (word !== '-') {
    const find = () => serversOf(word, call);
    // A file that the user names needs no question about projects.
    return importServers(
      call,
      clientOf(word) === undefined ? find : await withoutProject(find, `import ${word}`, call),
    );
  }
  const pasted = readPasted(await readInput(call));
  if ('problem' in pasted)
    return call.output.fail(usageFailure(`The text from stdin cannot be used. ${pasted.problem}`));
  if (call.flag('yes') && call.value('toolbox') === undefined) {
    const toolboxes = toolboxesIn(await setupTarget(call.value('config'), call.computer, call.output));
    if (toolboxes.length > 1) return call.output.fail(whichToolbox(toolboxes));
  }
  const source = sourceOf(pasted, call.computer);
  openKeyboard();
  try {
    return await importServers(call, () => ({ sources: [source], unreadable: [] }));
  } finally {
    closeKeyboard();
  }
}

function importServers(call: Call, find: () => FoundServers): Promise<ExitCode> {
  const { words, value, computer, output } = call;
  const command = `import ${words[0] ?? ''}`;
  return runSetup(
    {
      command,
      find,
      toolbox: value('toolbox'),
      show: (plan, target) => show(plan, target, call),
      clients: async () => [],
      finish: (done) => printDone(command, done, computer, output),
    },
    call,
  );
}

/** The whole of stdin. */
async function readInput({ output }: Call): Promise<string> {
  if (process.stdin.isTTY) output.say('Paste what the vendor prints, then press Enter and Ctrl-D.');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > maxClientFileBytes)
      throw new WorkbenchError('CLIENT_FILE_INVALID', `stdin has more than ${maxClientFileBytes / 1_000_000} MB.`);
  }
  return text;
}

/** Of a client, or of a file: a word with a separator or an ending is one. */
function serversOf(word: string, { computer }: Call): FoundServers {
  const client = clientOf(word);
  if (client !== undefined) {
    requireInstalled(client, { computer });
    return findServers(computer, [client]);
  }
  if (!/[/\\.]/.test(word)) clientNamed(word);
  const place = placeOfFile(pathOf(word, computer), computer);
  const found = readPlaces([place]);
  const [unreadable] = found.unreadable;
  if (unreadable !== undefined)
    throw new WorkbenchError('CLIENT_FILE_INVALID', `${unreadable.problem} Nothing was changed.`);
  if (isUserFile(place.path, computer)) return found;
  // A file at no place of the user's own may be anyone's.
  return { ...found, sources: found.sources.map((source) => ({ ...source, isShared: true })) };
}

function show(plan: SetupPlan, target: SetupTarget, { words, computer, output }: Call): ExitCode | undefined {
  const isNothing = plan.toolboxes.length === 0;
  if (isNothing) {
    output.document({ command: `import ${words[0]}`, ...planFacts(plan, target.path), written: false });
    const there = [...plan.fates].map(([{ found }]) => found.name);
    output.print(
      there.length === 0
        ? `No server was found in ${words[0] === '-' ? 'the text' : words[0]}.`
        : `Nothing is new. Already there: ${namesOf(there)}.`,
    );
    printProblems(plan, computer, output);
    return exitCodes.ok;
  }
  printFound(plan, computer, output);
  printShared(plan, target.path, computer, output);
  printPlan(plan, target.path, computer, output);
  return undefined;
}
