import type { NamedValue } from '../config.js';
import { formatPlace, type Path } from '../place.js';
import type { ServerFileEntry, ServerFileSettings } from '../schema/schema.js';
import type { Lookup, Problem, Sources } from '../values/expand-env.js';
import { fileSources } from '../values/file-sources.js';
import type { Problems } from '../values/problems.js';
import type { ReferencedFiles } from '../values/referenced-files.js';
import { directoryNames } from '../values/references.js';
import { type UserFacts, userSources } from '../values/user.js';

export type Variables = ReadonlyMap<string, string>;

/** What the entries of one file share. */
export interface Surroundings {
  /** The configuration file. */
  readonly file: string;
  /** The same, unless it was named by a relative path. */
  readonly namedFile: string | undefined;
  /** The directory of the configuration file; relative paths start there. */
  readonly directory: string;
  /** Those of the workbench, or of the user whom the servers work for. */
  readonly cwd: string;
  readonly home: string;
  /** Those of the workbench: which files are read depends on no user. */
  readonly own: OwnDirectories;
  /** Whom the servers work for; undefined for the user of this computer. */
  readonly user: UserFacts | undefined;
  readonly lookup: Lookup;
  readonly files: ReferencedFiles;
  readonly defaults: ServerFileSettings;
  readonly runnerRefreshMs: number;
  /** The env file of the whole file, and that of the toolbox. */
  readonly envFiles: readonly EnvFileKey[];
  readonly warn: (message: string) => void;
  /** Called with the path of every other file, before it is read. */
  readonly willRead: (file: string) => void;
}

export interface OwnDirectories {
  readonly cwd: string;
  readonly home: string;
}

export interface EnvFileKey {
  readonly written: string;
  /** In the file. */
  readonly at: Path;
}

/** What references in an entry can refer to, and the variables that its server gets beside those of `env`. */
export interface EntryVariables {
  /** Those of `env_vars` and of env files. */
  readonly given: Variables;
  readonly sources: Sources;
  /** The values that `sources` have given so far. */
  readonly used: UsedValues;
}

/** As data, so that what an entry is can be compared, and nothing is read again. */
export interface UsedValues {
  /** Of the environment, and directories. */
  readonly outside: Variables;
  readonly inEnvFiles: Variables;
  /** Of files, by their paths as written. */
  readonly texts: ReadonlyMap<string, string | Problem>;
  /** Of the file of secrets, by their names. */
  readonly kept: ReadonlyMap<string, string | Problem>;
  /** What is known of the user, by `key` and `directory`. */
  readonly user: Variables;
  /** By their names. */
  readonly claims: ReadonlyMap<string, string | Problem>;
}

/** The same values again, with variables that override those of env files. */
export function sourcesFrom(used: UsedValues, printed: Variables): Sources {
  const { outside, inEnvFiles, texts, kept, user, claims } = used;
  return {
    variable: (name) => outside.get(name) ?? printed.get(name) ?? inEnvFiles.get(name),
    file: (written) => texts.get(written) ?? { problem: 'It was not read.' },
    secret: (name) => kept.get(name) ?? { problem: 'It was not read.' },
    user: (name) => user.get(name),
    claim: (name) => claims.get(name),
  };
}

interface Collected {
  readonly problems: Problems;
  readonly secrets: NamedValue[];
  readonly placeOf: (at: Path) => Path;
}

/** Reads the env files of an entry: later ones override earlier ones. */
export function readVariables(entry: ServerFileEntry, around: Surroundings, into: Collected): EntryVariables {
  const { problems, secrets, placeOf } = into;
  const { defaults, lookup, user } = around;
  const outsideFrom =
    ({ cwd, home }: OwnDirectories) =>
    (name: string) =>
      name === 'workspaceFolder' ? cwd : name === 'userHome' ? home : lookup(name);
  const inFiles = fileSources(around.files, around.willRead, formatPlace(placeOf([])));
  const forPaths = { variable: outsideFrom(around.own), ...inFiles, ...userSources(undefined) };

  function variablesOf({ written, at }: EnvFileKey): Variables {
    const expanded = problems.expandAt(forPaths, at)(written);
    if (problems.reason() !== undefined) return new Map();
    const file = around.files.resolve(expanded);
    around.willRead(file);
    const shown = written === expanded ? `the env file ${file}` : 'the env file';
    const found = around.files.variables({ path: file, shown, place: formatPlace(at) });
    if (!('problem' in found)) return found;
    problems.reportAt(found.problem, at);
    return new Map();
  }

  const own =
    entry.envFile === undefined
      ? { written: defaults.envFile, at: ['defaults', 'envFile'] }
      : { written: entry.envFile, at: placeOf(['envFile']) };
  const keys = [...around.envFiles, ...(own.written === undefined ? [] : [{ ...own, written: own.written }])];
  const fromFiles = new Map(keys.flatMap((key) => [...variablesOf(key)]));
  const passed = (entry.env_vars ?? defaults.env_vars ?? []).flatMap((name) => {
    const value = lookup(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const given = new Map([...passed, ...fromFiles]);
  secrets.push(...namedValues(given));
  return { given, ...recorded({ variable: outsideFrom(around), ...inFiles, ...userSources(user) }, fromFiles) };
}

/** The sources, with what they have given so far. Variables of env files are given where there is no other. */
function recorded(sources: Sources, inEnvFiles: Variables): Pick<EntryVariables, 'sources' | 'used'> {
  const used = {
    outside: new Map<string, string>(),
    inEnvFiles,
    texts: new Map<string, string | Problem>(),
    kept: new Map<string, string | Problem>(),
    user: new Map<string, string>(),
    claims: new Map<string, string | Problem>(),
  };
  const variable = recordedIn(used.outside, sources.variable);
  return {
    used,
    sources: {
      variable: (name) => variable(name) ?? inEnvFiles.get(name),
      file: recordedIn(used.texts, sources.file),
      secret: recordedIn(used.kept, sources.secret),
      user: recordedIn(used.user, sources.user),
      claim: recordedIn(used.claims, sources.claim),
    },
  };
}

function recordedIn<Value extends string | Problem, Found extends Value | undefined>(
  into: Map<string, Value>,
  find: (name: string) => Found,
): (name: string) => Found {
  return (name) => {
    const found = find(name);
    if (found !== undefined) into.set(name, found);
    return found;
  };
}

export function namedValues(values: Variables): NamedValue[] {
  return Array.from(values, ([name, value]) => ({ name, value }));
}

/** Collects what is inserted, but no directories: they say nothing about anybody. */
export function collectInto(secrets: NamedValue[]): (name: string, value: string) => void {
  return (name, value) => {
    if (!directoryNames.has(name)) secrets.push({ name, value });
  };
}
