import path from 'node:path';
import { expandHome } from '../files/find.js';
import type { ConfigFile } from '../schema/schema.js';
import { runsCode } from '../values/code-variables.js';
import { createLookup, expandReferences, variableOf } from '../values/expand-env.js';
import { createReferencedFiles } from '../values/referenced-files.js';
import { hasReference, referencesIn, textsIn } from '../values/references.js';
import { secretsFileName } from '../values/secrets-file.js';
import { userSources } from '../values/user.js';

/** Where a configuration is, and what its references stand for. */
export interface NamingPlace {
  /** The configuration file. */
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** That of the workbench. */
  readonly cwd: string;
  readonly home: string;
}

/** How a configuration uses a file. */
export interface Position {
  readonly isEnvFile?: true;
  /** It is the file of secrets. */
  readonly isSecrets?: true;
  /** Its text reaches more than a header, a secret of a login or a variable that is data. */
  readonly isExact?: true;
  /** Which file it is depends on a variable. */
  readonly isVariable?: true;
}

export interface Positions {
  /** By absolute path. */
  readonly files: ReadonlyMap<string, Position>;
  /** All words of what says what is run and called: a variable with such a name may reach it, also through a shell. */
  readonly words: ReadonlySet<string>;
}

interface Place extends NamingPlace {
  readonly directory: string;
}

/** Every file that a configuration names, and how it is used. */
export function namesIn(file: ConfigFile, place: Place): Positions {
  const files = new Map<string, Position>();
  const words = new Set<string>();
  const resolve = (written: string) => path.resolve(place.directory, expandHome(written, place.home));
  const add = (one: string, position: Position) => files.set(one, { ...files.get(one), ...position });
  const expand = createExpand(place);
  const strings = [...textsIn(file)].map(({ at, text }) => ({ key: keyOf(at.map(String)), text }));
  const exact = strings.filter(({ key }) => !isData(key));
  for (const { text } of exact) for (const [word] of text.matchAll(/[A-Za-z_]\w*/g)) words.add(word);
  // A script may take what it runs from a variable of `env`, whatever that refers to: `sh -c "$X"`.
  const reached = new Set(strings.filter(({ key: [kind, name = ''] }) => kind === 'env' && words.has(name)));
  for (const one of strings) {
    const { key, text } = one;
    const isExact = !isData(key) || reached.has(one);
    for (const reference of referencesIn(text)) {
      if (reference.kind === 'file') add(resolve(reference.name), isExact ? { isExact } : {});
      else if (reference.kind === 'secret') add(resolve(secretsFileName), { isSecrets: true });
      if (isExact) words.add(variableOf(reference));
    }
    if (key[0] !== 'envFile') continue;
    const expanded = expand(text);
    if (expanded !== undefined)
      add(resolve(expanded), { isEnvFile: true, ...(hasReference(text) && { isVariable: true }) });
  }
  return { files, words };
}

/** Values that are only passed on. All others decide what is run or called. */
function isData([key, name, ...more]: readonly string[]): boolean {
  if (key === 'description') return true;
  if (key === 'headers' || (key === 'transport' && name === 'headers')) return true;
  if (key === 'http') return name === 'auth' && more[0] === 'login';
  if (key === 'oauth') return name === 'clientId' || name === 'clientSecret';
  return key === 'env' && more.length === 0 && !runsCode(name ?? '');
}

/** The place inside of a server's entry, of `defaults`, of a toolbox or of the file. */
function keyOf(at: readonly string[]): readonly string[] {
  if (at[0] === 'defaults') return at.slice(1);
  if (at[0] !== 'toolboxes') return at;
  return at[2] === 'mcpServers' ? at.slice(4) : at.slice(2);
}

/** The path of an env file, as a server would get it. Undefined if a variable or a file is missing: no server gets it then. */
function createExpand({ env, cwd, home, directory }: Place): (written: string) => string | undefined {
  const lookup = createLookup(env);
  const files = createReferencedFiles(directory, home, () => {});
  const named = (written: string) => ({ path: files.resolve(written), shown: '', place: '' });
  const sources = {
    variable: (name: string) => (name === 'workspaceFolder' ? cwd : name === 'userHome' ? home : lookup(name)),
    file: (written: string) => files.text(named(written)),
    secret(name: string) {
      const found = files.variables(named(secretsFileName));
      return 'problem' in found ? found : (found.get(name) ?? { problem: '' });
    },
    ...userSources(undefined),
  };
  return (written) => {
    let isWhole = true;
    const fail = () => void (isWhole = false);
    const expanded = expandReferences(written, sources, { missing: fail, failed: fail, inserted() {} });
    return isWhole ? expanded : undefined;
  };
}
