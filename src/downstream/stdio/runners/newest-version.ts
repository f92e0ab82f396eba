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
      command: npmBeside(entry.runner[0] ?? ''),
      args: ['view', '--json', specOf(entry), 'version'],
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
    const version = exit?.code === 0 ? lastVersion(await text) : undefined;
    return version === undefined
      ? { problem: wordsOfNpm(words) || `npm knows no version of ${specOf(entry)}` }
      : { version };
  } finally {
    await rm(desk.directory, { recursive: true, force: true }).catch(() => {});
  }
}

const drainMs = 1_000;

/** npm stands beside npx. */
function npmBeside(runner: string): string {
  const name = path.basename(runner).replace(/^npx/i, 'npm');
  const directory = runner.slice(0, runner.length - path.basename(runner).length);
  return `${directory}${name}`;
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

/** One version, or all that are in a range, the newest last. */
function lastVersion(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const last: unknown = Array.isArray(answer) ? answer.at(-1) : answer;
    return typeof last === 'string' && /^\d+\.\d+\.\d+[\w.+-]*$/.test(last) ? last : undefined;
  } catch {
    return undefined;
  }
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
