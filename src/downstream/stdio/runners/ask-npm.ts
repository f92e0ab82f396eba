import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { StdioTarget } from '../../../config/config.js';
import { messageOf } from '../../../contract/errors.js';
import { maxNpmWords } from '../../../limits.js';
import { settlesWithin } from '../../../platform/time-limit.js';
import { shellQuote } from '../../../text/shell-quote.js';
import { shorten } from '../../../text/shorten.js';
import { makeNpmDirectory, type NpmDirectory } from './npm-directory.js';
import { askingWords, type NpxEntry, specOf, writtenWords } from './npx-words.js';
import { parseReport, type Report } from './report.js';

/** What is needed to ask npm. */
export interface Question {
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

/** A process that we started, as far as it matters here. */
export interface AskedProcess {
  readonly stdin: Pick<Writable, 'end'>;
  readonly stdout: Pick<Readable, typeof Symbol.asyncIterator>;
  readonly exited: Promise<Exit>;
  readonly stderrEnded: Promise<void>;
  lastStderrLines(): readonly string[];
  /** Ends what is left of it. */
  close(): Promise<void>;
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts a program that is not a server. What it writes to stderr goes to the log of the server. */
export type StartProgram = (program: StdioTarget, env: ReadonlyMap<string, string>) => Promise<AskedProcess>;

/**
 * - `answered`: npm has installed the package, if it had to, and has reported what it would run
 * - `failed`: npm could not, or was cancelled; the reason is a sentence
 * - `silent`: npm has run something that is no program of a package
 */
export type Answer =
  | { readonly is: 'answered'; readonly report: Report }
  | { readonly is: 'failed'; readonly reason: string }
  | { readonly is: 'silent' };

/**
 * Asks npm with the words of the entry which program it runs. npm starts the program with a shell, which can be chosen: ours
 * reports instead. Resolves when no process of npm is left.
 */
export async function askNpm(question: Question): Promise<Answer> {
  const { entry, directory } = question;
  const flags = directory === undefined ? ['--no-workspaces'] : [];
  const ended = await runNpm(question, entry.runner[0] ?? '', ({ shell }) =>
    askingWords({ ...entry, flags: [...flags, ...entry.flags] }, shell),
  );
  if ('problem' in ended) return { is: 'failed', reason: ended.problem };
  const { exit, lines } = ended;
  const report = parseReport(ended.report);
  if (exit?.code === 0) return report === undefined ? { is: 'silent' } : { is: 'answered', report };
  return { is: 'failed', reason: reasonOf(entry, exit, lines) };
}

/** How npm has ended. `exit` is undefined if the signal came first; `text` is what it printed, `report` what our shell did. */
export interface EndedNpm {
  readonly exit: Exit | undefined;
  readonly lines: readonly string[];
  readonly text: string;
  readonly report: string;
}

/** Runs npm, or npx, in the trusted directory or in one of ours. Resolves when no process of it is left. */
export async function runNpm(
  { env, directory, cwd, cacheDirectory, platform, start, signal }: Question,
  command: string,
  wordsIn: (made: NpmDirectory) => readonly string[],
): Promise<EndedNpm | { readonly problem: string }> {
  const made = await makeNpmDirectory(cacheDirectory, platform).catch(messageOf);
  if (typeof made === 'string') return { problem: `no directory to ask npm in could be made: ${made}` };
  try {
    const program: StdioTarget = {
      kind: 'stdio',
      command: /[\\/]/.test(command) ? path.resolve(cwd, command) : command,
      args: wordsIn(made),
      env: new Map(),
      cwd: directory ?? made.directory,
    };
    const child = await start(program, made.variables(env));
    child.stdin.end();
    const text = textOf(child);
    const exit = await exitOf(child, signal);
    // Why it failed may be in what is not read yet.
    if (exit !== undefined) await settlesWithin(drainMs, Promise.all([text, child.stderrEnded]));
    const lines = child.lastStderrLines();
    await child.close();
    return { exit, lines, text: await text, report: await readFile(made.report, 'utf8').catch(() => '') };
  } finally {
    await rm(made.directory, { recursive: true, force: true }).catch(() => {});
  }
}

/** All that it prints is read; what is too long to be an answer is not kept. */
async function textOf({ stdout }: AskedProcess): Promise<string> {
  let text = '';
  try {
    for await (const chunk of stdout) {
      if (text.length < longestAnswer) text += String(chunk);
    }
  } catch {
    // It was ended.
  }
  return text;
}

const longestAnswer = 1_000_000;
const drainMs = 1_000;

/** Undefined if the signal came first. */
async function exitOf(child: AskedProcess, signal: AbortSignal): Promise<Exit | undefined> {
  let stop = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([child.exited, stopped]).finally(() => signal.removeEventListener('abort', stop));
}

function reasonOf(entry: NpxEntry, exit: Exit | undefined, lines: readonly string[]): string {
  const [runner = ''] = entry.runner;
  const byHand = writtenWords(entry).map(shellQuote).join(' ');
  const how =
    exit === undefined
      ? 'was ended'
      : exit.signal === null
        ? `exited with code ${exit.code}`
        : `was killed by ${exit.signal}`;
  const words = wordsOfNpm(lines);
  const why = words === '' ? how : `${how}: ${words}`;
  return `${path.basename(runner)} could not provide ${specOf(entry)}: it ${why}. To see all of it, run: ${byHand}`;
}

const boilerplate =
  /^(?:\d+$|at |A complete log|.*_logs[\\/]|(?:code|errno|syscall|path|dest|file) |This is related|If you are behind|'proxy')/i;

/** What npm says about its failure, without what is the same in every one. */
export function wordsOfNpm(lines: readonly string[]): string {
  const errors = lines.flatMap((line) => /^\s*npm (?:ERR!|error)\s*(.*?)\s*$/.exec(line)?.[1] ?? []);
  const telling = errors.filter((line) => line !== '' && !boilerplate.test(line));
  const last = lines.map((line) => line.trim()).filter((line) => line !== '' && !/^npm (?:warn|notice)/i.test(line));
  return shorten([...new Set(telling.length > 0 ? telling : last.slice(-2))].join(' '), maxNpmWords);
}
