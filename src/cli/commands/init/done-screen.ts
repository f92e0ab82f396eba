import { isRecord } from '../../../jsonrpc/json.js';
import type { Computer } from '../../../platform/computer.js';
import { listed } from '../../frame/screen/amounts.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { connectedText, previewFacts } from '../clients/connect-preview.js';
import type { ClientPlan } from './client-plans.js';
import { planFacts } from './plan-screen.js';
import type { Done } from './run-setup.js';

/** What was written, and how to go on and back. */
export function printDone(command: string, done: Done, computer: Computer, output: Output): void {
  const { plan, target, hasSecrets, clients, refused } = done;
  const file = shortPath(target.path, computer.home);
  const undo = 'mcp-workbench undo';
  output.document({
    command,
    ...planFacts(plan, target.path),
    clients: clients.map(({ preview }) => previewFacts(preview())),
    refused: refused.map(({ client, problem }) => ({ client: client.name, problem })),
    written: true,
    undo,
  });
  output.print('');
  if (plan.toolboxes.length > 0) output.print(`${output.mark('well')} ${file}${hasSecrets ? ', secrets.env' : ''}`);
  for (const { preview } of clients) output.print(`${output.mark('well')} ${connectedText(preview())}`);
  for (const { client, problem } of refused)
    output.print(`${output.mark('warning')} ${client.title}   ${problem.replaceAll(/\s*\n\s*/g, ' ')}`);
  printSaved(clients, output);
  output.print('');
  printNext(clients, output, done);
  if (command === 'init' && plan.toolboxes.length > 0)
    output.print('Then   mcp-workbench group   (toolboxes by what the tools do)');
  if (plan.toolboxes.length + clients.length > 0) output.print(`Undo   ${undo}`);
}

/** Every client starts its own servers: one process each, when all run. */
function printSaved(clients: readonly ClientPlan[], output: Output): void {
  const before = clients.flatMap(({ preview }) =>
    preview().plan.leaving.filter(({ value }) => isProgram(value)),
  ).length;
  if (before === 0) return;
  const which = clients.length === 1 ? `${clients[0]?.preview().client.title} runs` : `all ${clients.length} run`;
  const arrow = output.signs.isUnicode ? '→' : '->';
  output.printText(
    `Processes when ${which}: ${before} ${arrow} ${clients.length}. Tokens are measured by mcp-workbench doctor`,
  );
}

function isProgram(value: unknown): boolean {
  return isRecord(value) && value['command'] !== undefined && value['disabled'] !== true && value['enabled'] !== false;
}

function printNext(clients: readonly ClientPlan[], output: Output, { plan }: Done): void {
  if (clients.length > 0) {
    const titles = listed(clients.map(({ preview }) => preview().client.title));
    output.print(`Next   restart ${titles}, and ask: what toolboxes do I have?`);
    return;
  }
  const source = plan.found.sources.find(({ isShared, entries }) => !isShared && entries.length > 0);
  output.print(
    `Next   mcp-workbench connect${source === undefined ? '' : ` ${source.client.name}   (only then do its servers sleep)`}`,
  );
}
