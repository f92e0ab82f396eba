import type { NamedValue } from '../config.js';
import { formatPlace, type Path } from '../place.js';
import type { ServerFileEntry, ServerFileSettings } from '../schema/schema.js';
import type { Lookup, Problem, Sources } from '../values/expand-env.js';
import type { Problems } from '../values/problems.js';
import type { ReferencedFiles } from '../values/referenced-files.js';
import { directoryNames } from '../values/references.js';
import { secretsFileName } from '../values/secrets-file.js';

export type Variables = ReadonlyMap<string, string>;

/** What the entries of one file share. */
export interface Surroundings {
  /** The configuration file. */
  readonly file: string;
  /** The same, unless it was named by a relative path. */
  readonly namedFile: string | undefined;
  /** The directory of the configuration file; relative paths start there. */
  readonly directory: string;
  /** That of the workbench. */
  readonly cwd: string;
  readonly home: string;
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
}

/** The same values again, with variables that override those of env files. */
export function sourcesFrom({ outside, inEnvFiles, texts, kept }: UsedValues, printed: Variables): Sources {
  return {
    variable: (name) => outside.get(name) ?? printed.get(name) ?? inEnvFiles.get(name),
    file: (written) => texts.get(written) ?? { problem: 'It was not read.' },
    secret: (name) => kept.get(name) ?? { problem: 'It was not read.' },
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
  const { defaults, lookup, cwd, home } = around;
  const outside = (name: string) => (name === 'workspaceFolder' ? cwd : name === 'userHome' ? home : lookup(name));

  function fileText(written: string): string | Problem {
    const file = around.files.resolve(written);
    around.willRead(file);
    return around.files.text({ path: file, shown: `the file ${file}`, place: formatPlace(placeOf([])) });
  }

  function secretNamed(name: string): string | Problem {
    const file = around.files.resolve(secretsFileName);
    around.willRead(file);
    const shown = `the file of secrets ${file}`;
    const found = around.files.variables({ path: file, shown, place: formatPlace(placeOf([])) });
    if ('problem' in found) return found;
    return found.get(name) ?? { problem: `The file of secrets ${file} has no ${name}. Add a line: ${name}=…` };
  }

  function variablesOf({ written, at }: EnvFileKey): Variables {
    const expanded = problems.expandAt({ variable: outside, file: fileText, secret: secretNamed }, at)(written);
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
  const outsideUsed = new Map<string, string>();
  const texts = new Map<string, string | Problem>();
  const kept = new Map<string, string | Problem>();
  const sources: Sources = {
    variable(name) {
      const value = outside(name);
      if (value !== undefined) outsideUsed.set(name, value);
      return value ?? fromFiles.get(name);
    },
    file(written) {
      const text = fileText(written);
      texts.set(written, text);
      return text;
    },
    secret(name) {
      const value = secretNamed(name);
      kept.set(name, value);
      return value;
    },
  };
  return { given, sources, used: { outside: outsideUsed, inEnvFiles: fromFiles, texts, kept } };
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
