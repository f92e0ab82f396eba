import type { ConfigurationEdit } from '../../../setup/edit/configuration-edit.js';
import type { Call } from '../../frame/command.js';
import type { ExitCode } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { type AddWish, readWish, uselessOption } from './add-wish.js';
import { correctedCommand } from './corrected-command.js';
import { type EditableConfiguration, editableConfiguration } from './editable-configuration.js';
import { keepSecrets } from './keep-secrets.js';
import { noSuchToolbox, uselessDescription } from './new-toolbox.js';
import { entryOf, localArgument, namedTexts } from './server-entry.js';
import { nextCommand, writeEdits } from './write-edits.js';

/** `mcp-workbench add TOOLBOX NAME (URL | -- COMMAND…)` */
export async function runAdd(call: Call): Promise<ExitCode> {
  const { output, value } = call;
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
  if (!toolboxes.has(toolbox) && description !== undefined)
    edits.unshift({ kind: 'add toolbox', toolbox, description });
  const isRemote = 'url' in wish.target;
  return writeEdits(
    call,
    { path, edits, secrets },
    {
      command: ['add', toolbox, server],
      done: isNew ? 'added, to a new file' : 'added',
      facts: { toolbox, server, new: isNew, secrets: secrets.map(({ name }) => name) },
      next: nextCommand(call, isRemote && given.length === 0 ? 'auth' : 'doctor', toolbox, server),
    },
  );
}

/** The toolbox must be there, or be described; the server must not. */
function nameProblem(
  { toolbox, server }: AddWish,
  { toolboxes }: EditableConfiguration,
  { args, value }: Call,
): string | undefined {
  const known = toolboxes.get(toolbox);
  if (known === undefined)
    return value('description') === undefined
      ? noSuchToolbox('add', toolbox, { args }, [...toolboxes.keys()])
      : undefined;
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
