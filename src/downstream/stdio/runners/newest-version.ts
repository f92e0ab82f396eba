import path from 'node:path';
import { type Question, runNpm, wordsOfNpm } from './ask-npm.js';
import { nameInSpec, specOf } from './npx-words.js';

/** The newest version that the words of an entry allow, or why npm does not say. Nothing is installed. */
export async function newestVersion(
  question: Question,
): Promise<{ readonly version: string } | { readonly problem: string }> {
  const spec = specOf(question.entry);
  const ended = await runNpm(question, npmBeside(question.entry.runner[0] ?? ''), ({ directory }) => [
    // With a cache of its own: without an answer of the registry npm would take what it knew.
    ...['view', '--json', `--cache=${path.join(directory, 'cache')}`, spec, 'version'],
  ]);
  if ('problem' in ended) return ended;
  const version = ended.exit?.code === 0 ? newestIn(ended.text) : undefined;
  return version === undefined
    ? { problem: wordsOfNpm(ended.lines) || `npm knows no version of ${spec}` }
    : { version };
}

/** npm stands beside npx. */
function npmBeside(runner: string): string {
  const name = path.basename(runner).replace(/^npx/i, 'npm');
  return runner === path.basename(runner) ? name : `${path.dirname(runner)}${path.sep}${name}`;
}

/** One version, or all that are in a range, in the order in which they were published. */
export function newestIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const all: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    const versions = all.filter((one) => typeof one === 'string').filter((one) => /^\d+\.\d+\.\d+[\w.+-]*$/.test(one));
    return versions.toSorted(compareVersions).at(-1);
  } catch {
    return undefined;
  }
}

/** As semantic versioning orders them: a pre-release is older than its release. */
function compareVersions(one: string, other: string): number {
  const [own, their] = [partsOf(one), partsOf(other)];
  const numbers = compareParts(own.numbers, their.numbers);
  if (numbers !== 0) return numbers;
  if (own.early.length === 0 || their.early.length === 0) return their.early.length - own.early.length;
  return compareParts(own.early, their.early);
}

function partsOf(version: string): { readonly numbers: readonly string[]; readonly early: readonly string[] } {
  const [, numbers = '', early = ''] = /^([\d.]*)-?([^+]*)/.exec(version) ?? [];
  return { numbers: numbers.split('.'), early: early === '' ? [] : early.split('.') };
}

function compareParts(own: readonly string[], their: readonly string[]): number {
  for (let at = 0; at < Math.max(own.length, their.length); at++) {
    const [one, other] = [own[at], their[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    if (one === other) continue;
    const areNumbers = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
    return areNumbers[0] ? Number(one) - Number(other) : one < other ? -1 : 1;
  }
  return 0;
}

/** Whether a spec names a tag, such as `latest`: what it stands for changes. */
export function hasTag(spec: string): boolean {
  const version = spec.slice(nameInSpec(spec).length + 1);
  return /^[a-z_]/i.test(version) && !/^(?:v\d|x(?:\.|$))/i.test(version);
}

/** Whether a spec names one version. */
export function isExact(spec: string): boolean {
  return /^v?\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/.test(spec.slice(nameInSpec(spec).length + 1));
}
