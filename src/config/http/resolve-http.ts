import path from 'node:path';
import { WorkbenchError } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import type { NamedValue } from '../config.js';
import type { PlacedFault } from '../place.js';
import { type Configuration, guardOf } from '../read/configuration.js';
import { collectInto } from '../resolve/entry-variables.js';
import { createLookup, expandReferences, type Sources, variableOf } from '../values/expand-env.js';
import { fileSources } from '../values/file-sources.js';
import { createReferencedFiles } from '../values/referenced-files.js';
import { secretsFileName } from '../values/secrets-file.js';
import { userSources } from '../values/user.js';
import type { ListenAddress } from './addresses.js';
import { judgeHttp } from './judge-http.js';
import type { ExpandHttp } from './judging.js';
import type { HttpSettings } from './settings.js';

export interface HttpOptions {
  /** That of the command line: it goes before `listen`. */
  readonly listen?: ListenAddress | undefined;
  readonly warn: (message: string) => void;
}

/**
 * The block `http` of a configuration, for a service: sessions on stdio do not look at what it says. Throws one error with all
 * faults.
 */
export async function resolveHttp(
  configuration: Pick<Configuration, 'source' | 'file'>,
  computer: Omit<Computer, 'platform'>,
  { listen, warn }: HttpOptions,
): Promise<HttpSettings> {
  const { source, file } = configuration;
  const faults: PlacedFault[] = [];
  const secrets: NamedValue[] = [];
  const expand = expander(await sourcesOf(configuration, computer, warn), faults, secrets);
  const settings = judgeHttp(file?.http ?? {}, listen, expand, faults);
  if (faults.length === 0 && settings !== undefined)
    return { ...settings, secrets: [...secrets, ...secretsIn(settings)] };
  if (source === undefined)
    throw new WorkbenchError('CONFIG_INVALID', faults.map(({ what, remedy }) => `${what} ${remedy}`).join('\n'));
  const { invalidAt } = await loadPart(() => import('../read/parse.js'));
  throw invalidAt(source.path, source.text, faults);
}

function secretsIn({ auth }: Pick<HttpSettings, 'auth'>): NamedValue[] {
  const value = auth?.login?.clientSecret;
  return value === undefined ? [] : [{ name: 'clientSecret', value }];
}

async function sourcesOf(
  { source, file }: Pick<Configuration, 'source' | 'file'>,
  computer: Omit<Computer, 'platform'>,
  warn: (message: string) => void,
): Promise<Sources> {
  const { env, cwd, home } = computer;
  const lookup = createLookup(env);
  const guard = source && file && (await guardOf(source, file, computer));
  const directory = source === undefined ? cwd : path.dirname(source.path);
  return {
    variable: (name) => (name === 'workspaceFolder' ? cwd : name === 'userHome' ? home : lookup(name)),
    ...fileSources(createReferencedFiles(directory, home, warn, guard), () => {}, 'config.http'),
    ...userSources(undefined),
  };
}

function expander(sources: Sources, faults: PlacedFault[], secrets: NamedValue[]): ExpandHttp {
  return (text, at) => {
    const before = faults.length;
    const expanded = expandReferences(text, sources, {
      missing(reference) {
        const name = variableOf(reference);
        const remedy = `Set it for the service, or put ${name}=… into ${secretsFileName} and write \${secret:${name}}.`;
        faults.push({ path: ['http', ...at], what: `${name} is not set.`, remedy });
      },
      failed: (problem) => void faults.push({ path: ['http', ...at], what: problem, remedy: '' }),
      inserted: collectInto(secrets),
    });
    if (expanded === '' && faults.length === before)
      faults.push({ path: ['http', ...at], what: 'Empty after its variables are expanded.', remedy: 'Set them.' });
    return faults.length === before ? expanded : undefined;
  };
}
