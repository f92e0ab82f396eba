import type { Work } from '../../platform/slices.js';
import { lettersOf } from './words.js';

/**
 * The tools that a text names, as opposed to describes, in groups: those whose name is the whole text; those whose name occurs there
 * after that of their server; those whose name is one of its words; those whose name ends with the text (`ListParticipant` in
 * `TwilioApiV2010--ListParticipant`), or is the end of one of its words. A tool may be in several.
 */
export type NameFinder = (text: string) => readonly (readonly number[])[];

interface Named {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: { readonly name: string };
}

/** Of one server: it can list thousands of names with the same letters (`get_file`, `get__file`), and no answer has room for more. */
const maxSameLetters = 50;
const partSeparators = /--|__|[.:/\\]/;
// Other separators are those of paths and URLs as well.
const prefixSeparators = /--|__/;
// Several words written as no prose writes them: create_issue, createIssue, github/create-issue. A hyphen alone is prose: auto-complete.
const writtenAsName = /[\p{L}\p{N}][_.:/\\]+[\p{L}\p{N}]|--|\p{Ll}\p{Lu}/u;

/** Finds tools by name in any case style, alone, after the name of their server, or as one word of a longer text. */
export function* createNameFinder(tools: readonly Named[]): Work<NameFinder> {
  const byName = new Map<string, number[]>();
  const byPlace = new Map<string, number[]>();
  const byEnding = new Map<string, number[]>();
  const add = (found: Map<string, number[]>, key: string, at: number): void => {
    const known = found.get(key) ?? [];
    found.set(key, known);
    const earlier = tools[known.at(-maxSameLetters) ?? -1];
    if (earlier?.server !== tools[at]?.server || earlier?.toolbox !== tools[at]?.toolbox) known.push(at);
  };
  for (const [at, { server, tool }] of tools.entries()) {
    const key = lettersOf(tool.name);
    add(byName, key, at);
    add(byPlace, `${lettersOf(server)}${key}`, at);
    const ending = endingOf(tool.name, partSeparators);
    if (ending !== key) add(byEnding, ending, at);
    yield;
  }
  return (text) => {
    const words = writtenAsName.test(text) ? text.split(/\s+/).filter((word) => writtenAsName.test(word)) : [];
    const whole = [lettersOf(text)];
    const keys = [...whole, ...words.map(lettersOf)];
    const endings = words.map((word) => endingOf(word, prefixSeparators));
    return [
      toolsFor(byName, whole),
      toolsFor(byPlace, keys),
      toolsFor(byName, keys),
      [...toolsFor(byEnding, whole), ...toolsFor(byName, endings)],
    ];
  };
}

function endingOf(name: string, separators: RegExp): string {
  return lettersOf(name.split(separators).findLast((part) => lettersOf(part) !== '') ?? name);
}

function toolsFor(tools: ReadonlyMap<string, readonly number[]>, keys: readonly string[]): readonly number[] {
  return [...new Set(keys)].flatMap((key) => tools.get(key) ?? []);
}
