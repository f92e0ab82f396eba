import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ConnectPlan } from '../../../clients/connect-plan.js';
import type { ClientEntry, ClientFile } from '../../../clients/files/client-file.js';
import { isUserFile } from '../../../clients/files/client-places.js';
import type { Served } from '../../../clients/served-servers.js';
import type { Client } from '../../../clients/table/client.js';
import { tokenInput } from '../../../clients/table/http-forms.js';
import type { Computer } from '../../../platform/computer.js';
import { hiddenMark } from '../../../text/secrets/known-forms.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { plural } from '../../frame/screen/amounts.js';
import type { Row } from '../../frame/screen/columns.js';
import type { Output } from '../../frame/screen/output.js';
import { shortPath } from '../../frame/screen/short-path.js';
import { describeEntry } from './masked-entry.js';

export interface Preview {
  readonly client: Client;
  readonly file: ClientFile;
  readonly plan: ConnectPlan;
  readonly name: string;
  readonly entry: object;
  /** The token of a service is in the entry. */
  readonly hasToken?: boolean;
  /** The client asks its user for the token, by an input that is added, too. */
  readonly asksForToken?: boolean;
  readonly computer: Computer;
}

/** What connecting would change, by entry: a diff of lines would show secrets, and is unreadable for a file of one line. */
export function printPreview(preview: Preview, output: Output): void {
  const { client, file, plan, name, entry, computer } = preview;
  const { isUnicode } = output.signs;
  const [minus, same] = isUnicode ? ['−', '='] : ['-', '='];
  const where = shortPath(file.path, computer.home);
  const notes = [
    ...(file.access === undefined ? ['new'] : []),
    ...(client.hasLock === true ? [`locked while it is written: ${client.title} may run`] : []),
  ];
  output.printText(notes.length === 0 ? where : `${where}   (${notes.join(', ')})`);
  const ours: ClientEntry = { at: [], name, value: entry, offset: 0 };
  const describe = (one: ClientEntry) => inProject(one, computer, describeEntry(one, preview));
  const rows: Row[] = [
    { cells: [plan.isThere ? same : '+', name, plan.isThere ? 'is there already' : describe(ours)] },
    ...(preview.asksForToken === true && plan.edits.some(({ name: key }) => key === 'inputs')
      ? [{ cells: ['+', tokenInput, `${client.title} asks for the token once`] }]
      : []),
    ...(plan.replaced !== undefined && !plan.isThere
      ? [{ cells: [minus, name, describe(plan.replaced)], note: 'the one before' }]
      : []),
    ...plan.leaving.map((one) => ({ cells: [minus, one.name, describe(one)], note: `now ${addressOf(one.served)}` })),
    ...plan.staying.map((one) => ({
      cells: [same, one.name, inProject(one, computer, `stays: ${one.why}`)],
      ...(one.isImportable && { note: `mcp-workbench import ${client.name}` }),
    })),
  ];
  output.printRows(
    rows.map((row) => ({ ...row, indent: 2 })),
    { flexible: [[2, 20]] },
  );
  for (const shared of sharedFiles(preview))
    output.printText(`  ${shortPath(shared, computer.home)} is shared by git and stays as it is.`);
}

/** Files of the projects that servers leave, which have servers of their own. */
function sharedFiles({ client, file, plan, computer }: Preview): string[] {
  const { projectFile } = client;
  if (projectFile === undefined) return [];
  const directories = new Set([computer.cwd, ...plan.leaving.flatMap(({ project }) => project ?? [])]);
  return Array.from(directories, (directory) => path.join(directory, ...projectFile.split('/'))).filter(
    (shared) => shared !== file.path && existsSync(shared) && !isUserFile(shared, computer),
  );
}

function inProject({ project }: ClientEntry, { home }: Computer, text: string): string {
  return project === undefined ? text : `(project ${shortPath(project, home)}) ${text}`;
}

function addressOf({ toolbox, server }: Served): string {
  return `${shellQuote(toolbox)} ${shellQuote(server)}`;
}

/** `Claude Code: 5 servers replaced by workbench` */
export function connectedText({ client, plan, name }: Preview): string {
  const { length } = plan.leaving;
  return `${client.title}: ${length === 0 ? `${name} added` : `${plural(length, 'server')} replaced by ${name}`}`;
}

/** The same for programs. Values of entries are left out: they may be secrets. */
export function previewFacts({ client, file, plan, name, entry, hasToken }: Preview): object {
  const facts = (one: ClientEntry) => ({ name: one.name, ...(one.project !== undefined && { project: one.project }) });
  return {
    client: client.name,
    file: file.path,
    name,
    entry: hasToken === true ? withoutToken(entry) : entry,
    isThere: plan.isThere,
    replaced: plan.replaced !== undefined && !plan.isThere,
    removed: plan.leaving.map((one) => ({ ...facts(one), servedBy: one.served })),
    kept: plan.staying.map((one) => ({ ...facts(one), reason: one.why })),
  };
}

function withoutToken(entry: object): object {
  return 'headers' in entry ? { ...entry, headers: { Authorization: hiddenMark } } : entry;
}
