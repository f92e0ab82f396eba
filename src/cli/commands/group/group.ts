import { readClientFile } from '../../../clients/files/client-file.js';
import { planConfiguration, writeConfiguration } from '../../../setup/edit/write-configuration.js';
import { groupEdits } from '../../../setup/grouping/group-edits.js';
import { type Group, proposeGroups } from '../../../setup/grouping/propose-groups.js';
import { findAddress } from '../../frame/addresses.js';
import { type Call, sameConfig } from '../../frame/command.js';
import { type Configured, readConfigured } from '../../frame/configured.js';
import { listed } from '../../frame/screen/amounts.js';
import { askToWrite } from '../../frame/screen/ask-to-write.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';
import { usageFailure } from '../../frame/screen/failure.js';
import { canAsk } from '../../frame/screen/prompt.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { wrapped } from '../../frame/screen/wrapped.js';
import { noConfiguration } from '../../state/no-configuration.js';
import { groupFacts, printGroups } from './group-screen.js';
import { keepKnownTools } from './keep-tools.js';
import { knownTools, learnTools } from './learn-tools.js';
import { isGrouped, type LearnedServer, readGrouping } from './read-grouping.js';

/** `mcp-workbench group [TOOLBOX]` */
export async function runGroup(call: Call): Promise<ExitCode> {
  const { words, value, flag, computer, output } = call;
  const [wanted] = words;
  const configured = await readConfigured(value('config'), computer, (message) => output.say(message));
  if (configured === undefined) return noConfiguration(computer, output);
  findAddress(words, configured.toolboxes, 'group', sameConfig(call));
  const isWanted = ({ toolbox, server }: LearnedServer) => isEnabledIn(configured, toolbox, server, wanted);
  const known = await knownTools(configured, call);
  const learned = flag('offline') ? known : await learnTools(known, isWanted, call);
  const unknown = learned.filter((one) => one.tools === undefined && isWanted(one)).map(({ server }) => server);
  if (unknown.length > 0)
    output.say(`! The tools of ${listed(unknown)} are not known, only the name${unknown.length === 1 ? '' : 's'}.`);
  return decide(configured, learned, call);
}

function isEnabledIn({ toolboxes }: Configured, toolbox: string, server: string, wanted: string | undefined): boolean {
  const box = toolboxes.get(toolbox);
  return box !== undefined && isGrouped(toolbox, box, wanted) && box.mcpServers.get(server)?.disabled !== true;
}

/** At the end of `init`: the same, if there is something to tell apart, and all tools are known already. */
export async function offerGroups(call: Call): Promise<void> {
  const { value, computer } = call;
  const configured = await readConfigured(value('config'), computer, () => {});
  if (configured === undefined) return;
  const learned = await knownTools(configured, call);
  const wanted = learned.filter(({ toolbox, server }) => isEnabledIn(configured, toolbox, server, undefined));
  if (wanted.length === 0 || wanted.some(({ tools }) => tools === undefined)) return;
  call.output.print('');
  await decide(configured, learned, call);
}

/** Shows what is proposed, asks, and writes it. */
async function decide(configured: Configured, learned: readonly LearnedServer[], call: Call): Promise<ExitCode> {
  const { words, flag, computer, output } = call;
  const { path, toolboxes } = configured;
  const { document } = readClientFile({ format: 'json', isConfiguration: true }, path);
  const groups = proposeGroups(readGrouping(configured, document.text, words[0], learned));
  const now = Array.from(
    toolboxes,
    ([name, { mcpServers, description }]) => [name, { size: mcpServers.size, description }] as const,
  );
  const edits = groupEdits(groups, new Map(now));
  const facts = { command: 'group', config: path, toolboxes: groupFacts(groups) };
  if (edits.length === 0) {
    output.document({ ...facts, written: false });
    output.print(
      'Nothing to group: every toolbox has a description. To group one again, name it: mcp-workbench group TOOLBOX',
    );
    return exitCodes.ok;
  }
  const moved = movedIn(groups);
  printGroups(groups, moved.length, output);
  printLogins(moved, configured, call);
  const plan = planConfiguration({ path, edits }, computer);
  if (flag('dry-run')) {
    output.document({ ...facts, written: false });
    return exitCodes.ok;
  }
  if (!flag('yes') && (output.width === undefined || !canAsk()))
    return output.fail(usageFailure('Run it in a terminal, or with --yes.'));
  if (!(flag('yes') || (await isAccepted(plan.configuration.content.text, call)))) {
    output.print('Nothing was changed.');
    return exitCodes.failed;
  }
  if ((await writeConfiguration(plan, 'group', computer)) === undefined)
    return output.fail({
      code: 'CLIENT_FILE_BUSY',
      message: `${path} was changed by another program. Nothing was written.`,
      exit: exitCodes.failed,
    });
  await keepKnownTools(groups, configured, computer);
  output.document({ ...facts, written: true, undo: 'mcp-workbench undo' });
  output.print(`${output.mark('well')} ${shortPath(path, computer.home)}   Undo: mcp-workbench undo`);
  return exitCodes.ok;
}

interface Moved {
  readonly from: string;
  readonly server: string;
  readonly to: string;
}

function movedIn(groups: readonly Group[]): Moved[] {
  return groups.flatMap(({ toolbox: to, servers }) =>
    servers.filter(({ toolbox }) => toolbox !== to).map(({ toolbox: from, server }) => ({ from, server, to })),
  );
}

/** A login belongs to the name of its toolbox. */
function printLogins(moved: readonly Moved[], { toolboxes }: Configured, { output }: Call): void {
  const remote = moved.filter(({ from, server }) => {
    const entry = toolboxes.get(from)?.mcpServers.get(server);
    return entry !== undefined && entry.command === undefined && !hasAuthorization(entry.headers);
  });
  if (remote.length === 0) return;
  const names = listed(remote.map(({ server }) => server));
  output.print(wrapped(`If you are logged in at ${names}, log in again: mcp-workbench auth`, output.width, 2));
}

function hasAuthorization(headers: ReadonlyMap<string, string> | undefined): boolean {
  return [...(headers?.keys() ?? [])].some((name) => name.toLowerCase() === 'authorization');
}

async function isAccepted(text: string, { output }: Call): Promise<boolean> {
  for (;;) {
    const answer = await askToWrite(false, output);
    if (answer !== 'show') return answer === 'write';
    output.print(text.trimEnd());
  }
}
