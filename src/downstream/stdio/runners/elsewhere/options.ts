import path from 'node:path';
import { hasRunner } from './find-runner.js';
import type { Options } from './runner-options.js';

/** The words of a package runner, with absolute paths. */
export interface RunnerWords {
  /** Options, except ones that name packages or the directory. */
  readonly options: readonly string[];
  readonly packages: readonly string[];
  /** The directory that the server is to run in. */
  readonly directory: string;
  /** The first word that is no option: a package, or with `packages` a program. */
  readonly wanted: string;
  /** Of the server. */
  readonly args: readonly string[];
}

/** Undefined if the words do not say for certain which of them is the package. */
export function readOptions(words: readonly string[], known: Options, start: string): RunnerWords | undefined {
  const options: string[] = [];
  const packages: string[] = [];
  let directory = start;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('-') || word === '--') {
      const [wanted, ...args] = words.slice(word === '--' ? index + 1 : index);
      return wanted === undefined
        ? undefined
        : { options, packages, directory, wanted: absolutePath(wanted, start), args };
    }
    const [, name = word, joined] = /^(--?[\w.-]+)=(.*)$/s.exec(word) ?? [];
    const isOf = (list: readonly string[] | undefined) => list?.includes(name) === true;
    if (isOf(known.flags) && joined === undefined) {
      options.push(word);
      continue;
    }
    const takesValue = [known.values, known.paths, known.packages, known.directories].some(isOf);
    // A long option with its value in the same word cannot be misread.
    if (!takesValue && joined === undefined) return undefined;
    const value = joined ?? words[++index];
    if (value === undefined) return undefined;
    if (isOf(known.packages)) packages.push(absolutePath(value, start));
    else if (isOf(known.directories)) directory = path.resolve(start, value);
    else {
      const meant = isOf(known.paths) ? path.resolve(start, value) : absolutePath(value, start);
      options.push(...(joined === undefined ? [name, meant] : [`${name}=${meant}`]));
    }
  }
  return undefined;
}

const pathOption = /^(?:-C|--(?:chdir|cd|cwd|dir|directory|prefix|userconfig|env-file))$/;

/** Words of which it is not known what they are for, with absolute paths where they say, or the option before, that they are. */
export function withKnownPaths(words: readonly string[], directory: string): string[] {
  return words.map((word, index) => {
    const [, name = '', joined] = /^(--[a-z-]+)=(.+)$/s.exec(word) ?? [];
    if (joined !== undefined && pathOption.test(name)) return `${name}=${path.resolve(directory, joined)}`;
    if (pathOption.test(words[index - 1] ?? '') && !word.startsWith('-')) return path.resolve(directory, word);
    // A script begins like a path, too.
    return /\s/.test(word) && hasRunner([word]) ? word : absolutePath(word, directory);
  });
}

/** A word that says that it is a relative path, also behind the name of a package or an option, as an absolute one. */
export function absolutePath(word: string, directory: string): string {
  const [, before = '', kind = '', relative, extras = ''] =
    /^((?:--?[\w.-]+=)?(?:@?[\w./-]+(?:\[[^\]]*\])? ?@ ?)?)((?:file|link|portal):)?(\.{0,2}[^[]*?)(\[[^\]]*\])?$/s.exec(
      word,
    ) ?? [];
  if (relative === undefined || relative === '') return word;
  const isRelative = /^\.{1,2}(?:[\\/]|$)/.test(relative) || (kind !== '' && !/^[\\/]|^[A-Za-z]:/.test(relative));
  return isRelative ? `${before}${kind}${path.resolve(directory, relative)}${extras}` : word;
}
