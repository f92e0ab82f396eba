import path from 'node:path';
import { type ClientFile, readClientFile } from '../../clients/files/client-file.js';
import { secretsFileName } from '../../config/values/secrets-file.js';
import { WorkbenchError } from '../../contract/errors.js';

/** A value that is kept in the file beside the configuration. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** How an entry refers to it. */
export function secretReference(name: string): string {
  return `\${secret:${name}}`;
}

/** The file with the secrets of a configuration. What is written there is readable by the user alone. */
export function readSecretsFile(configFile: string): ClientFile {
  const file = readClientFile({ format: 'env' }, path.join(path.dirname(configFile), secretsFileName));
  return { ...file, access: file.access && { ...file.access, mode: file.access.mode & ~0o077 } };
}

/**
 * The name under which each secret can be kept beside the existing ones: its own, or one with a number if that has another
 * value.
 */
export function nameSecrets(kept: Pick<ClientFile, 'document'>, wanted: readonly Secret[]): Secret[] {
  const taken = new Map<string, unknown>(kept.document.entriesAt([]).map(({ name, value }) => [name, value]));
  return wanted.map(({ name, value }) => {
    let free = name;
    for (let number = 2; taken.has(free) && taken.get(free) !== value; number++) free = `${name}_${number}`;
    taken.set(free, value);
    return { name: free, value };
  });
}

/** The secrets that are not there yet. Throws for one that is there with another value. */
export function missingSecrets({ path: file, document }: ClientFile, secrets: readonly Secret[]): Secret[] {
  const kept = new Map<string, unknown>(document.entriesAt([]).map(({ name, value }) => [name, value]));
  return secrets.filter(({ name, value }) => {
    if (kept.has(name) && kept.get(name) !== value)
      throw new WorkbenchError('ENTRY_TAKEN', `${file} has another value for ${name}. Nothing was changed.`);
    const isNew = !kept.has(name);
    kept.set(name, value);
    return isNew;
  });
}
