import path from 'node:path';
import type { ClientFile } from '../../../clients/files/client-file.js';
import type { Client } from '../../../clients/table/client.js';
import { WorkbenchError } from '../../../contract/errors.js';
import { shellQuote } from '../../../text/shell-quote.js';

/** A token is written into no file that others can read, and into none of a project. */
export function requirePrivate(client: Client, { path: file, access }: ClientFile): void {
  const problem = isOfProject(client, file) ? 'belongs to a project' : modeProblem(access?.mode);
  if (problem === undefined) return;
  const remedy = access === undefined ? '' : ` If only you are to read it: chmod 600 ${shellQuote(file)}`;
  throw new WorkbenchError(
    'CLIENT_FILE_UNWRITABLE',
    `${client.title} takes the token only as text, and ${file} ${problem}. Nothing was changed.${remedy}`,
  );
}

function isOfProject({ projectFile }: Client, file: string): boolean {
  return projectFile !== undefined && file.endsWith(path.sep + projectFile.split('/').join(path.sep));
}

function modeProblem(mode: number | undefined): string | undefined {
  if (mode === undefined || process.geteuid === undefined || (mode & 0o077) === 0) return undefined;
  return `is open to others than you (mode ${(mode & 0o777).toString(8)})`;
}
