import type { ConfigurationEdit } from '../../../setup/edit/configuration-edit.js';
import { isPasted } from '../../../setup/pasted/read-pasted.js';
import type { Call } from '../../frame/command.js';
import type { ExitCode } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { addPasted } from './add-pasted.js';
import { type AddWish, readWish, uselessOption } from './add-wish.js';
import { addedTo, nextAfterAdd } from './added.js';
import { correctedCommand } from './corrected-command.js';
import { type EditableConfiguration, editableConfiguration } from './editable-configuration.js';
import { keepSecrets } from './keep-secrets.js';
import { misspelledToolbox, uselessDescription } from './new-toolbox.js';
import { entryOf, localArgument, namedTexts } from './server-entry.js';
import { writeEdits } from './write-edits.js';

/** `mcp-workbench add TOOLBOX NAME (URL | COMMAND…)`, or with one word that holds what a vendor prints. */
export async function runAdd(call: Call): Promise<ExitCode> {
  const { output, value, words } = call;
  const [word = ''] = words;
  if (words.length === 1 && isPasted(word)) return addPasted(word, call);
  const wish = readWish(call);
  if ('problem' in wish) return output.fail(usageFailure(wish.problem));
  const given = namedTexts(call);
  if ('problem' in given) return output.fail(usageFailure(given.problem));
  const useless = uselessOption(wish, call);
  if (useless !== undefined) return output.fail(usageFailure(useless));
  const configuration = await editableConfiguration(call, true);
  const { path, isNew, toolboxes } = configuration;
  const problem = nameProblem(wish, configuration, call);
  if (problem !== undefined) return output.fail(usageFailure(problem));
  const { toolbox, server } = wish;
  const { texts, target, secrets } = await keepSecrets(wish, given, path, call);
  const local = localArgument(wish, call);
  if (local !== undefined)
    output.say(`! ${local} is a file of this directory, and clients start elsewhere. To work here, add: --cwd .`);
  const edits: ConfigurationEdit[] = [
    { kind: 'add server', toolbox, server, entry: entryOf({ ...wish, target }, texts, call, path) },
  ];
  const description = value('description');
  const isFirst = !toolboxes.has(toolbox);
  if (isFirst) edits.unshift({ kind: 'add toolbox', toolbox, description });
  const isOpen = 'url' in wish.target && given.length === 0;
  return writeEdits(
    call,
    { path, edits, secrets },
    {
      command: ['add', toolbox, server],
      done: addedTo(isNew, isFirst),
      facts: { toolbox, server, new: isNew, secrets: secrets.map(({ name }) => name) },
      next: nextAfterAdd(call, [toolbox, server], { isOpen, isUndescribed: isFirst && description === undefined }),
    },
  );
}

/** A toolbox with a name like another one is probably that one; the server must not be there. */
function nameProblem(
  { toolbox, server }: AddWish,
  { toolboxes }: EditableConfiguration,
  call: Call,
): string | undefined {
  const { args, value } = call;
  if (value('toolbox') !== undefined) return '--toolbox is for a pasted text. Here the toolbox is the first word.';
  const known = toolboxes.get(toolbox);
  if (known === undefined) return misspelledToolbox('add', toolbox, call, [...toolboxes.keys()]);
  if (known.mcpServers.has(server)) return takenName(toolbox, server, known.mcpServers, args);
  const given = value('description');
  return given === undefined || given === known.description ? undefined : uselessDescription('add', toolbox, { args });
}

function takenName(
  toolbox: string,
  server: string,
  servers: { has(name: string): boolean },
  args: readonly string[],
): string {
  let number = 2;
  while (servers.has(`${server}-${number}`)) number++;
  const at = args.indexOf(server, args.indexOf(toolbox) + 1);
  return [
    `Toolbox '${toolbox}' has a server '${server}' already. Under another name:`,
    `  ${correctedCommand('add', args.with(at, `${server}-${number}`))}`,
  ].join('\n');
}
