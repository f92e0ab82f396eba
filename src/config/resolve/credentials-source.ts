import { looksSecret } from '../../text/secrets/names.js';
import type { ServerFileEntry } from '../schema/schema.js';
import { variableOf } from '../values/expand-env.js';
import { referencesIn } from '../values/references.js';
import { secretsFileName } from '../values/secrets-file.js';
import { headersIn } from './remote-entry.js';

/** Where the credentials of an entry come from, as written: `TOKEN in secrets.env`. No value is in it. */
export function credentialsSource(entry: ServerFileEntry): string | undefined {
  const headers = headersIn(entry).map(({ at, name, value }) => ({ at: at.join('.'), name, value }));
  const variables = Array.from(entry.env ?? [], ([name, value]) => ({ at: `env.${name}`, name, value }));
  const all = entry.command === undefined ? headers : variables;
  const found = all.find(({ name }) => /^authorization$/i.test(name)) ?? all.find(({ name }) => looksSecret(name));
  if (found === undefined) return undefined;
  const sources = referencesIn(found.value).map((reference) => {
    if (reference.kind === 'secret') return `${reference.name} in ${secretsFileName}`;
    if (reference.kind === 'claim') return `the claim ${reference.name} of the user`;
    if (reference.kind === 'user') return `the ${reference.name} of the user`;
    return reference.kind === 'file' ? `the file ${reference.name}` : `the variable ${variableOf(reference)}`;
  });
  return sources.length === 0 ? `${found.at} in its entry` : [...new Set(sources)].join(' and ');
}
