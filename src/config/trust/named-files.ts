import { existsSync } from 'node:fs';
import path from 'node:path';
import { maxEnvFileBytes } from '../../limits.js';
import { sha256 } from '../../platform/crypto.js';
import { looksSecret } from '../../text/secrets/names.js';
import { beginsLikePath, isUrl } from '../../text/secrets/plain.js';
import { readTextFile, type TextFile } from '../files/text-file.js';
import type { VouchedFile } from '../files/vouched-file.js';
import type { ConfigFile } from '../schema/schema.js';
import { runsCode } from '../values/code-variables.js';
import { parseEnvFile } from '../values/env-file.js';
import { type NamingPlace, namesIn, type Position, type Positions } from './named-positions.js';
import { realPathOf } from './trust-store.js';

/** The files of a project that a configuration in it names: env files, the file of secrets, and those of `${file:…}`. */
export interface NamedFiles {
  /** The directory that these files are in. */
  readonly root: string;
  /** All named files, existing or not. */
  readonly paths: readonly string[];
  /** The path as it would be in `paths`; undefined if the file is not in the project. */
  readonly pathOf: (file: string) => string | undefined;
  /** Whether the file gives variables to servers. */
  readonly isEnvFile: (file: string) => boolean;
  /** Whether it has variables: env files and the file of secrets. */
  readonly hasVariables: (file: string) => boolean;
  /** Whether a variable decides which file it is. */
  readonly isVariable: (file: string) => boolean;
  /** Of all that is trusted about a file: where it really is, and what in it says what is run. */
  readonly digestOf: (file: string, content: TextFile) => string;
  /** The variables of a file whose values are part of what is trusted. */
  readonly coveredIn: (file: string, content: TextFile) => ReadonlyMap<string, string>;
}

export function namedFilesOf(file: ConfigFile, place: NamingPlace): NamedFiles {
  const directory = path.dirname(realPathOf(place.path));
  const root = repositoryOf(directory, realPathOf(place.home)) ?? directory;
  const moved = [
    [path.dirname(place.path), directory],
    [place.cwd, realPathOf(place.cwd)],
  ] as const;
  const pathOf = (one: string): string | undefined => {
    const [from, to] = moved.find(([given]) => isInside(one, given)) ?? [root, root];
    const real = path.join(to, path.relative(from, one));
    return isInside(one, from) && isInside(real, root) ? real : undefined;
  };
  const found = namesIn(file, { ...place, directory });
  const all = new Map<string, Position>();
  for (const [one, position] of found.files) {
    const known = pathOf(one);
    if (known !== undefined) all.set(known, { ...all.get(known), ...position });
  }
  const coveredIn = (one: string, content: TextFile) =>
    coveredVariables(content, found, all.get(one)?.isEnvFile === true);
  const positionOf = (one: string) => found.files.get(one) ?? all.get(one);
  return {
    root,
    paths: [...all.keys()],
    pathOf,
    isEnvFile: (one) => positionOf(one)?.isEnvFile === true,
    hasVariables: (one) => (positionOf(one)?.isEnvFile ?? positionOf(one)?.isSecrets) === true,
    isVariable: (one) => positionOf(one)?.isVariable === true,
    coveredIn,
    digestOf(one, content) {
      const { isEnvFile, isSecrets, isExact } = all.get(one) ?? {};
      return sha256(
        JSON.stringify([
          one,
          realPathOf(one),
          content.kind,
          (isEnvFile ?? isSecrets) === true ? variableFacts(content, coveredIn(one, content)) : null,
          isExact === true && content.kind === 'text' ? content.text : null,
        ]),
      );
    },
  };
}

/** The named files as they are read. */
export function vouchFor(named: NamedFiles, read: ReadNamed): VouchedFile[] {
  return named.paths.map((one) => ({ path: one, sha256: named.digestOf(one, read(one)) }));
}

export type ReadNamed = (file: string) => TextFile;

export function readNamed(file: string): TextFile {
  return readTextFile(file, maxEnvFileBytes);
}

/** Whether a file is reached through a link that leads out of the project. */
export function isLedAway({ root }: Pick<NamedFiles, 'root'>, file: string): boolean {
  return !isInside(realPathOf(file), root);
}

/** The repository that a directory belongs to. One that has the whole home does not count. */
export function repositoryOf(directory: string, home: string): string | undefined {
  for (let one = directory; !isInside(home, one); one = path.dirname(one)) {
    if (existsSync(path.join(one, '.git'))) return one;
    if (one === path.dirname(one)) break;
  }
  return undefined;
}

export function isInside(file: string, directory: string): boolean {
  const relative = path.relative(directory, file);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

function variableFacts(content: TextFile, covered: ReadonlyMap<string, string>): unknown[] {
  if (content.kind !== 'text') return [];
  const names = [...parseEnvFile(content.text).variables.keys()].toSorted();
  return names.map((name) => [name, covered.get(name) ?? null]);
}

/** All values except known data, such as those of the file of secrets: a rotated token must not need a new yes. */
function coveredVariables(
  content: TextFile,
  { words }: Pick<Positions, 'words'>,
  isEnvFile: boolean,
): ReadonlyMap<string, string> {
  if (content.kind !== 'text') return new Map();
  const covered = [...parseEnvFile(content.text).variables].flatMap(([name, value]): [string, string][] => {
    if (words.has(name) || (isEnvFile && runsCode(name))) return [[name, value]];
    return !isEnvFile || isData(name, value) ? [] : [[name, withoutUser(value)]];
  });
  return new Map(covered);
}

/** Secrets, numbers and plain words, but no path, address or text that could be code. */
function isData(name: string, value: string): boolean {
  if (/^[\w-]{0,32}$|^[\d.,:]*$/.test(value)) return true;
  return looksSecret(name) && !isUrl(value) && !beginsLikePath(value);
}

/** The password in the address of a database may change. */
function withoutUser(value: string): string {
  return isUrl(value) ? value.replace(/^([^:]+:\/\/)[^@/?#\\]*@/, '$1') : value;
}
