import type { Edit } from '../../clients/documents/document.js';
import { applyEdits } from '../../clients/documents/open-document.js';
import { type ClientFile, inFile, readClientFile } from '../../clients/files/client-file.js';
import { commitAll } from '../../clients/journal/commit.js';
import type { FileCommit, NewContent } from '../../clients/journal/planned-file.js';
import type { ChangeRecord } from '../../clients/journal/record.js';
import { parseConfig } from '../../config/read/parse.js';
import { isWorkbenchError, WorkbenchError } from '../../contract/errors.js';
import { maxConfigBytes } from '../../limits.js';
import type { Computer } from '../../platform/computer.js';
import type { ConfigurationEdit } from './configuration-edit.js';
import { planEdits } from './edit-configuration.js';
import { missingSecrets, readSecretsFile, type Secret } from './secrets-file.js';

/** A change of a configuration file, which may not exist yet. */
export interface ConfigurationChange {
  readonly path: string;
  readonly edits: readonly ConfigurationEdit[];
  /** Values for the file beside it; `nameSecrets` gives names that are free. */
  readonly secrets?: readonly Secret[];
}

/** What a file becomes. */
interface PlannedFile {
  /** As it was read. */
  readonly file: ClientFile;
  readonly content: NewContent & { readonly text: string };
  readonly read: () => ClientFile;
}

/** What a change makes of the files, before anything is written. */
export interface ConfigurationPlan {
  readonly configuration: PlannedFile;
  /** Undefined if there are no new secrets. */
  readonly secrets: PlannedFile | undefined;
}

/** Throws if the change does not fit to the file, or if the result would not be a valid configuration. */
export function planConfiguration(change: ConfigurationChange, computer: Computer): ConfigurationPlan {
  const { path, edits } = change;
  const read = () => readClientFile({ format: 'json', isConfiguration: true }, path);
  const file = read();
  const before = file.access === undefined ? undefined : file.document.text;
  const content = inFile(path, before ?? '', () => planEdits(before, edits));
  requireValid(path, content.text, computer);
  return { configuration: { file, content, read }, secrets: plannedSecrets(change) };
}

function plannedSecrets({ path, secrets = [] }: ConfigurationChange): PlannedFile | undefined {
  if (secrets.length === 0) return undefined;
  const read = () => readSecretsFile(path);
  const file = read();
  const edits = missingSecrets(file, secrets).map(
    ({ name, value }): Edit => ({ kind: 'add', at: [], name, source: { value } }),
  );
  if (edits.length === 0) return undefined;
  const { text, inverse } = inFile(file.path, file.document.text, () => applyEdits('env', file.document.text, edits));
  return { file, content: { text, edits, inverse }, read };
}

function requireValid(path: string, text: string, computer: Computer): void {
  if (Buffer.byteLength(text) > maxConfigBytes)
    throw new WorkbenchError(
      'CONFIG_INVALID',
      `${path} would be larger than ${maxConfigBytes / 1_000_000} MB. Nothing was changed.`,
    );
  try {
    parseConfig(text, { ...computer, path });
  } catch (error) {
    if (!isWorkbenchError(error)) throw error;
    throw new WorkbenchError('CONFIG_INVALID', `This would not be valid, so nothing was changed. ${error.message}`);
  }
}

/** The files of a plan, to be written together with others. Secrets first: no entry refers to what is not there. */
export function commitsOf({ configuration, secrets }: ConfigurationPlan): FileCommit[] {
  return [...(secrets === undefined ? [] : [secrets]), configuration].map(({ file, content, read }) => ({
    read,
    plan: (now) => (isSame(file, now) ? content : undefined),
    mode: 0o600,
  }));
}

function isSame(one: ClientFile, other: ClientFile): boolean {
  return (one.access === undefined) === (other.access === undefined) && one.bytes.equals(other.bytes);
}

/**
 * Writes a plan, with a record in the journal under the name of the command; a trusted file stays trusted. Undefined if a file
 * is no longer what it was when the plan was made: nothing is written then.
 */
export function writeConfiguration(
  plan: ConfigurationPlan,
  command: string,
  computer: Computer,
): Promise<ChangeRecord | undefined> {
  return commitAll({ computer, headline: { command }, files: commitsOf(plan) });
}
