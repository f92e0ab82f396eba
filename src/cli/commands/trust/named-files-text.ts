import type { HideSecrets } from '../../../config/trust/hide-secrets.js';
import type { NamedFiles, ReadNamed } from '../../../config/trust/named-files.js';
import { parseEnvFile } from '../../../config/values/env-file.js';
import { plural } from '../../frame/screen/amounts.js';

/** A file that the configuration names, and the variables in it. */
export interface NamedFilePlan {
  readonly file: string;
  /** Why it gives nothing. */
  readonly problem?: string;
  /** Values that decide what is run. A change of one makes the configuration untrusted. */
  readonly values?: Readonly<Record<string, string>>;
  /** The others: their values may change. */
  readonly names?: readonly string[];
}

export function namedFilePlans(named: NamedFiles, read: ReadNamed, hide: HideSecrets): NamedFilePlan[] {
  return named.paths.map((file) => {
    const content = read(file);
    if (content.kind === 'missing') return { file, problem: 'does not exist yet' };
    if (content.kind !== 'text') return { file, problem: content.problem };
    if (!named.hasVariables(file)) return { file };
    const covered = named.coveredIn(file, content);
    const names = [...parseEnvFile(content.text).variables.keys()].filter((name) => !covered.has(name));
    const values = Object.fromEntries(Array.from(covered, ([name, value]) => [name, hide.value(name, value)]));
    return { file, values, names };
  });
}

/** Each file with a line for each variable. */
export function namedFileLines(plans: readonly NamedFilePlan[], visible: (text: string) => string): string[] {
  return plans.flatMap(({ file, problem, values = {}, names = [] }) => [
    `  ${visible(file)}${problem === undefined ? '' : ` (${visible(problem)})`}`,
    ...Object.entries(values).map(([name, value]) => `    ${visible(name)}=${visible(value)}`),
    ...(names.length === 0 ? [] : [`    ${plural(names.length, 'other variable')}: ${names.map(visible).join(', ')}`]),
  ]);
}
