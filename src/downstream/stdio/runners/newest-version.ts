import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { StdioTarget } from '../../../config/config.js';
import { settlesWithin } from '../../../platform/time-limit.js';
import { type AskedProcess, exitOf, type StartProgram, wordsOfNpm } from './ask-npm.js';
import { makeDesk } from './desk.js';
import { type NpxEntry, nameInSpec, specOf } from './npx-words.js';

/** What is needed to ask npm for a version. */
export interface VersionQuestion {
  readonly entry: NpxEntry;
  readonly env: ReadonlyMap<string, string>;
  /** The trusted directory to ask in. Undefined: an empty one of ours. */
  readonly directory: string | undefined;
  /** The directory that a relative path to npx starts from. */
  readonly cwd: string;
  readonly cacheDirectory: string | undefined;
  readonly platform: string;
  readonly start: StartProgram;
  readonly signal: AbortSignal;
}

/** The newest version that the words of an entry allow, or why npm does not say. Nothing is installed. */
export async function newestVersion(
  question: VersionQuestion,
): Promise<{ readonly version: string } | { readonly problem: string }> {
  const { entry, env, directory, start, signal } = question;
  const desk = await makeDesk(question.cacheDirectory, question.platform);
  try {
    const program: StdioTarget = {
      kind: 'stdio',
      command: npmBeside(entry.runner[0] ?? '', question.cwd),
      // With a cache of its own: without an answer of the registry npm would take what it knew.
      args: ['view', '--json', `--cache=${path.join(desk.directory, 'cache')}`, specOf(entry), 'version'],
      env: new Map(),
      cwd: directory ?? desk.directory,
    };
    const child = await start(program, env);
    child.stdin.end();
    const text = textOf(child);
    const exit = await exitOf(child, signal);
    if (exit !== undefined) await settlesWithin(drainMs, Promise.all([text, child.stderrEnded]));
    const words = child.lastStderrLines();
    await child.close();
    const version = exit?.code === 0 ? newestIn(await text) : undefined;
    return version === undefined
      ? { problem: wordsOfNpm(words) || `npm knows no version of ${specOf(entry)}` }
      : { version };
  } finally {
    await rm(desk.directory, { recursive: true, force: true }).catch(() => {});
  }
}

const drainMs = 1_000;

/** npm stands beside npx. */
function npmBeside(runner: string, cwd: string): string {
  const name = path.basename(runner).replace(/^npx/i, 'npm');
  return runner === path.basename(runner) ? name : path.join(path.resolve(cwd, path.dirname(runner)), name);
}

/** The whole output, as far as it is short enough to be an answer. */
async function textOf({ stdout }: AskedProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout) {
    if (text.length < longestAnswer) text += String(chunk);
  }
  return text;
}

const longestAnswer = 1_000_000;

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
