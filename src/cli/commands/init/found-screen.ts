import type { Computer } from '../../../platform/computer.js';
import type { ServerSource } from '../../../setup/find-servers.js';
import type { Fate } from '../../../setup/merge-servers.js';
import type { SetupPlan } from '../../../setup/setup-plan.js';
import type { TranslatedServer } from '../../../setup/translate-servers.js';
import { displayWidth, padToWidth } from '../../../text/display-width.js';
import { plural } from '../../frame/screen/amounts.js';
import { oneLine } from '../../frame/screen/names.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { noBreak, unbroken, wrapped } from '../../frame/screen/wrapped.js';

const mostNames = 40;
const mostLines = 20;

/** What was found, by file; equal and renamed servers are marked. */
export function printFound(plan: SetupPlan, computer: Computer, output: Output): void {
  const fates = [...plan.fates];
  const sources = plan.found.sources.filter(({ entries }) => entries.length > 0);
  const entries = sources.reduce((sum, source) => sum + source.entries.length, 0);
  const different = plan.differentServers;
  const clients = new Set(sources.map(({ client }) => client)).size;
  const servers = entries === different ? '' : `, ${plural(different, 'different server')}`;
  const where = sources.some(({ isPasted }) => isPasted === true) ? 'the text' : plural(clients, 'client');
  output.print(`Found ${entries === 1 ? '1 entry' : `${entries} entries`} in ${where}${servers}:`);
  const rows = sources.map((source) => ({ source, cells: cellsOf(source, computer) }));
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map(({ cells }) => displayWidth(cells[column] ?? ''))));
  for (const { source, cells } of rows) {
    const head = `${cells.map((cell, column) => padToWidth(cell, widths[column] ?? 0)).join('   ')}   `;
    const names = namesOf(source, fates, output);
    output.print(wrapped(unbroken(head) + names, output.width, 2, displayWidth(head) + 2).replaceAll(noBreak, ' '));
  }
  printLegend(fates, output);
  printProblems(plan, computer, output);
}

function cellsOf({ client, file, entries, isPasted }: ServerSource, { home }: Computer): string[] {
  const where = isPasted === true ? ['stdin', file.path] : [client.title, shortPath(file.path, home)];
  return [...where, String(entries.length)];
}

function namesOf(source: ServerSource, fates: readonly (readonly [TranslatedServer, Fate])[], output: Output): string {
  const own = fates.filter(([server]) => server.source === source);
  const names = own.slice(0, mostNames).map(([{ found, inputs }, fate]) => {
    const unequal = unequalSign(output);
    const mark =
      fate.kind === 'same' ? ' =' : fate.kind === 'there' ? ' (there)' : fate.wanted === undefined ? '' : ` ${unequal}`;
    const project = found.project === undefined || source.isShared ? '' : ` (project ${nameOf(found.project)})`;
    const asks = inputs.map(({ id }) => ` (asks for "${id}")`).join('');
    return `${oneLine(found.name)}${mark}${project}${asks}`;
  });
  return [...names, ...(own.length > mostNames ? [`and ${own.length - mostNames} more`] : [])].join(', ');
}

function nameOf(directory: string): string {
  return /[^/\\]*$/.exec(directory)?.[0] || directory;
}

function unequalSign({ signs }: Output): string {
  return signs.isUnicode ? '≠' : '<>';
}

function printLegend(fates: readonly (readonly [TranslatedServer, Fate])[], output: Output): void {
  if (fates.some(([, { kind }]) => kind === 'same')) output.print('  =  the same server, taken once');
  const renamed = fates.flatMap(([, fate]) =>
    fate.kind === 'new' && fate.wanted !== undefined ? [fate.server.name] : [],
  );
  if (renamed.length === 0) return;
  const names = renamed.slice(0, mostLines).map((name) => `"${name}"`);
  const more = renamed.length > mostLines ? ` and ${renamed.length - mostLines} more` : '';
  output.print(
    wrapped(
      `${unequalSign(output)}  same name, other content: taken as ${names.join(', ')}${more}`,
      output.width,
      2,
      5,
    ),
  );
}

/** One line each; the rest goes on. */
export function printProblems({ found, untranslated }: SetupPlan, { home }: Computer, output: Output): void {
  const lines = [
    ...found.unreadable.map(
      ({ client, path, problem }) => `${client.title}   ${problem.replace(path, shortPath(path, home))} Left alone.`,
    ),
    ...untranslated.map(
      ({ source, found: entry, problem }) =>
        `${source.client.title}   ${JSON.stringify(entry.name)} is left alone: ${problem}`,
    ),
  ];
  for (const line of lines.slice(0, mostLines))
    output.print(`  ${output.mark('warning')} ${line.replaceAll(/\s*\n\s*/g, ' ')}`);
  if (lines.length > mostLines) output.print(`  and ${lines.length - mostLines} more`);
}
