import { programName } from './program-name.js';
import { type KnownRunner, knownRunners } from './runners.js';

export interface FoundRunner {
  readonly known: KnownRunner;
  /** Its program. */
  readonly program: string;
  /** Those after its program. */
  readonly words: readonly string[];
}

/** The package runner that a word is, with the words after it. */
export function runnerAt(words: readonly string[], index: number): FoundRunner | undefined {
  const program = words[index] ?? '';
  const name = programName(program);
  const known = Object.hasOwn(knownRunners, name) ? knownRunners[name] : undefined;
  // Most words are none: nothing is copied for them.
  if (known === undefined) return undefined;
  const rest = words.slice(index + 1);
  const isRunner = known.verbs.some((verb) => {
    const start = verb.length === 0 ? 0 : rest.indexOf(verb[0] ?? '');
    return start !== -1 && verb.every((word, at) => rest[start + at] === word);
  });
  if (!isRunner) return undefined;
  if (known.method === 'deno' && !rest.some((word) => /^(?:npm|jsr|https?):/.test(word))) return undefined;
  return { known, program, words: rest };
}

/** Whether a package runner, with something to run, is anywhere in a command line: also inside of its words. */
export function hasRunner(words: readonly string[]): boolean {
  const parts = words.flatMap((word) => word.split(/[\s;&|()"'`$={}]+|(?<=\w)@/)).filter((part) => part !== '');
  return parts.some((_, index) => (runnerAt(parts, index)?.words.length ?? 0) > 0);
}
