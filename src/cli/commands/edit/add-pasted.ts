import { parseFile } from '../../../config/read/parse.js';
import { readSecretsFile } from '../../../setup/edit/secrets-file.js';
import { everyday } from '../../../setup/group-servers.js';
import type { Pasted } from '../../../setup/pasted/pasted.js';
import { sourceOf } from '../../../setup/pasted/pasted-source.js';
import { readPasted } from '../../../setup/pasted/read-pasted.js';
import { planSetup, type SetupPlan } from '../../../setup/setup-plan.js';
import type { Call } from '../../frame/command.js';
import { choose } from '../../frame/screen/choice.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { type Failure, usageFailure } from '../../frame/screen/failure.js';
import { Interrupted } from '../../frame/screen/interrupted.js';
import { namesOf } from '../../frame/screen/names.js';
import { askText, canAsk, confirmSafe } from '../../frame/screen/prompt.js';
import { printNotes } from '../init/plan-screen.js';
import { type SetupTarget, setupTarget } from '../init/setup-target.js';
import { printShared } from '../init/shared-screen.js';
import { addOptions } from './add-options.js';
import { addedTo, nextAfterAdd } from './added.js';
import { movesSecrets } from './keep-secrets.js';
import { writeEdits } from './write-edits.js';

/** Adds the servers of a text that was pasted. What they would run is shown first. */
export async function addPasted(text: string, call: Call): Promise<ExitCode> {
  const { value, computer, output } = call;
  const pasted = readPasted(text);
  const problem = 'problem' in pasted ? pasted.problem : uselessOption(call);
  if ('problem' in pasted || problem !== undefined) return output.fail(usageFailure(`Nothing was added. ${problem}`));
  const target = await setupTarget(value('config'), computer, output);
  const toolboxes = toolboxesIn(target);
  const toolbox = await toolboxFor(toolboxes, call);
  if (toolbox === undefined) return output.fail(whichToolbox(toolboxes));
  const plan = planOf(pasted, target, toolbox, call);
  const [left] = plan.untranslated;
  if (left !== undefined)
    return output.fail(usageFailure(`Nothing was added. ${JSON.stringify(left.found.name)}: ${left.problem}`));
  if (plan.toolboxes.length === 0) return nothingNew(plan, target, call);
  printShared(plan, target.path, computer, output);
  printNotes({ ...plan, secrets: [] }, output);
  if (await isRefused(call)) {
    output.print('Nothing was changed.');
    return exitCodes.failed;
  }
  return write(plan, target, toolbox, call);
}

/** An option that describes the server, which the pasted text already does. */
function uselessOption({ value, values }: Call): string | undefined {
  const names = Object.keys(addOptions).filter((name) => name !== 'toolbox' && name !== 'description');
  const useless = names.find((name) => values(name).length > 0 || value(name) !== undefined);
  return useless && `--${useless} is not for a pasted text: write it into the text.`;
}

export function whichToolbox(toolboxes: readonly string[]): Failure {
  return usageFailure(`Which toolbox? Say it with --toolbox. There are: ${toolboxes.join(', ')}`);
}

export function toolboxesIn({ path, config }: SetupTarget): string[] {
  return config === undefined ? [] : [...parseFile(config.text, path).file.toolboxes.keys()];
}

const aNewOne = 'a new one';

/** Undefined if it is not known and there is no terminal to ask on. */
async function toolboxFor(toolboxes: readonly string[], { value, flag, output }: Call): Promise<string | undefined> {
  const named = value('toolbox');
  if (named !== undefined) return named;
  if (toolboxes.length < 2) return toolboxes[0] ?? everyday;
  if (output.width === undefined || flag('yes') || !canAsk()) return undefined;
  const chosen = await choose('Which toolbox?', [...toolboxes, aNewOne], output.signs);
  if (chosen < toolboxes.length) return toolboxes[chosen];
  const name = await askText('Its name: ', new AbortController().signal);
  if (name === undefined) throw new Interrupted('Nothing was changed.');
  return name;
}

function planOf(pasted: Pasted, { path, config }: SetupTarget, toolbox: string, { computer }: Call): SetupPlan {
  const kept = readSecretsFile(path).document.entriesAt([]);
  const secretOf = new Map(kept.map(({ name, value }) => [name, String(value)]));
  const found = { sources: [sourceOf(pasted, computer)], unreadable: [] };
  return planSetup(found, { config, toolbox, secretOf: (name) => secretOf.get(name), computer });
}

function nothingNew(plan: SetupPlan, { path }: SetupTarget, { output }: Call): ExitCode {
  const there = [...plan.fates.values()].flatMap((fate) =>
    fate.kind === 'there' ? [`${fate.served.toolbox} ${fate.served.server}`] : [],
  );
  output.document({ command: 'add', config: path, servers: [], written: false });
  output.print(
    there.length === 0
      ? 'It is the workbench itself: nothing to add.'
      : `Nothing is new. Already there: ${namesOf(there)}.`,
  );
  return exitCodes.ok;
}

/** Users do not always read what a pasted text would run, so it is shown first. Without a terminal, passing it is the yes. */
async function isRefused({ flag, output }: Call): Promise<boolean> {
  const isAsked = !flag('yes') && !flag('dry-run') && output.width !== undefined && canAsk();
  return isAsked && !(await confirmSafe('Add this?'));
}

async function write(plan: SetupPlan, { path, config }: SetupTarget, toolbox: string, call: Call): Promise<ExitCode> {
  const found = plan.secrets.map(({ server, what }) => `${server} ${what}`);
  const isMoved = found.length > 0 && (await movesSecrets(found, path, call, true));
  const secrets = isMoved ? plan.secrets.map(({ name, value }) => ({ name, value })) : [];
  const servers = plan.toolboxes.flatMap((group) => group.servers);
  const names = servers.map(({ name }) => name);
  const isFirst = plan.toolboxes.some(({ isNew }) => isNew);
  const description = call.value('description');
  const edits = plan.edits(!isMoved).map((edit) => (edit.kind === 'add toolbox' ? { ...edit, description } : edit));
  const isOpen = servers.every(({ entry }) => entry.url !== undefined && entry.headers === undefined);
  return writeEdits(
    call,
    { path, edits, secrets },
    {
      command: ['add', toolbox, ...names],
      what: `${toolbox} ${namesOf(names)}`,
      done: addedTo(config === undefined, isFirst),
      facts: { toolbox, servers: names, new: config === undefined, secrets: secrets.map(({ name }) => name) },
      next: nextAfterAdd(call, [toolbox, ...(names.length === 1 ? names : [])], {
        isOpen: isOpen && names.length === 1,
        isUndescribed: isFirst && description === undefined,
      }),
    },
  );
}
