import { existsSync } from 'node:fs';
import { configCandidates } from '../../../config/files/find.js';
import { findFile } from '../../../config/read/find-file.js';
import { parseFile } from '../../../config/read/parse.js';
import type { ConfigFile } from '../../../config/schema/schema.js';
import { WorkbenchError } from '../../../contract/errors.js';
import type { EditRequest } from './edit-request.js';

/** The configuration that a command edits: the one that is used. */
export interface EditableConfiguration {
  readonly path: string;
  /** There is no file yet. */
  readonly isNew: boolean;
  readonly toolboxes: ConfigFile['toolboxes'];
}

/** Throws if there is none, or one with faults. `mayCreate`: one that does not exist is made. */
export async function editableConfiguration(
  { value, computer, output }: EditRequest,
  mayCreate = false,
): Promise<EditableConfiguration> {
  const named = value('config');
  const search = { ...computer, ...(named !== undefined && { path: named }) };
  const { path = '', namedBy } = configCandidates(search).find(({ needsTrust }) => needsTrust !== true) ?? {};
  const created = { path, isNew: true, toolboxes: new Map() };
  if (mayCreate && namedBy !== undefined && !existsSync(path)) return created;
  const { file } = await findFile(named, computer, (message) => output.say(message));
  if (file !== undefined)
    return { path: file.path, isNew: false, toolboxes: parseFile(file.text, file.path).file.toolboxes };
  if (mayCreate) return created;
  throw new WorkbenchError(
    'CONFIG_NOT_FOUND',
    `There is no configuration yet. The first server makes one: mcp-workbench add`,
  );
}
