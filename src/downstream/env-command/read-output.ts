// A part of its own: few entries have a program that prints their variables.
import { isUtf8 } from 'node:buffer';
import { textChecks } from '../../config/schema/checks.js';
import { parseEnvFile } from '../../config/values/env-file.js';
import { isRecord } from '../../jsonrpc/json.js';
import { nextTurn } from '../../platform/slices.js';
import { settlesWithin } from '../../platform/time-limit.js';
import { shorten } from '../../text/shorten.js';
import type { Child, Exit } from '../stdio/child.js';

/** A process that the program started may hold its pipes open. */
const drainMs = 1_000;

export interface OutputLimits {
  readonly limitMs: number;
  readonly maxBytes: number;
}

export interface Printed {
  /** Also of a program that failed: they must not be seen in what it wrote to stderr. */
  readonly variables: ReadonlyMap<string, string>;
  /** Lines and words of output that is not all variables: each may be a secret as well. */
  readonly words: readonly string[];
  /** Numbers of the lines that are ignored. */
  readonly invalidLines: readonly number[];
  /** What went wrong, as a phrase without a subject. */
  readonly problem: string | undefined;
}

/** Waits for the program to exit and reads the variables that it printed. The caller ends its processes. */
export async function readOutput(
  child: Child,
  { limitMs, maxBytes }: OutputLimits,
  signal: AbortSignal,
): Promise<Printed> {
  const { ended, bytes, isTooLong } = collect(child, maxBytes);
  child.stdin.end();
  const end = await firstOf(child.exited, isTooLong, signal, limitMs);
  if (typeof end === 'object') {
    await settlesWithin(drainMs, Promise.all([ended, child.stderrEnded]));
    await nextTurn();
  }
  const text = bytes();
  const { variables, invalidLines, problem } = parse(text);
  const isAllVariables = problem === undefined && invalidLines.length === 0;
  const words = isAllVariables ? [] : wordsIn(text.toString('utf8'));
  return { variables, invalidLines, words, problem: problemOf(end, limitMs, maxBytes) ?? problem };
}

type End = Exit | 'too long' | 'too late' | 'cancelled';

function problemOf(end: End, limitMs: number, maxBytes: number): string | undefined {
  if (end === 'cancelled') return 'was cancelled';
  if (end === 'too long') return `printed more than ${maxBytes / 1_000_000} MB`;
  if (end === 'too late') return `did not exit within ${limitMs / 1_000} s`;
  if (end.signal !== null) return `was killed by ${end.signal}`;
  return end.code === 0 ? undefined : `exited with code ${end.code}`;
}

function collect({ stdout }: Child, maxBytes: number) {
  const chunks: Buffer[] = [];
  let length = 0;
  let markTooLong = () => {};
  const isTooLong = new Promise<'too long'>((resolve) => {
    markTooLong = () => resolve('too long');
  });
  stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
    else markTooLong();
  });
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) stdout.once(event, () => resolve());
  });
  return { ended, isTooLong, bytes: () => Buffer.concat(chunks) };
}

async function firstOf(
  exited: Promise<Exit>,
  isTooLong: Promise<'too long'>,
  signal: AbortSignal,
  limitMs: number,
): Promise<End> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const isTooLate = new Promise<'too late'>((resolve) => {
    timer = setTimeout(() => resolve('too late'), limitMs);
  });
  const isCancelled = new Promise<'cancelled'>((resolve) => {
    stop = () => resolve('cancelled');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([exited, isTooLong, isTooLate, isCancelled]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** More of them are not a secret in the wrong form, but another kind of output. */
const maxWords = 2_000;

function wordsIn(text: string): string[] {
  const separators = [/\s*\n\s*/, /[\s"'`]+/, /[\s"'`=:,;(){}[\]]+/];
  return [...new Set(separators.flatMap((separator) => text.split(separator, maxWords)))];
}

type Parsed = Omit<Printed, 'words'>;

/** Of a name in the reason. */
const longestName = 100;
const unreadable = 'printed neither NAME=value lines nor a JSON object of strings';

function parse(bytes: Buffer): Parsed {
  if (!isUtf8(bytes)) return failed('printed text that is not UTF-8');
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trimStart().startsWith('{')) return parseObject(text);
  const { variables, invalidLines } = parseEnvFile(text);
  const isNothing = variables.size === 0 && invalidLines.length > 0;
  return checked(variables, invalidLines, isNothing ? unreadable : undefined);
}

function parseObject(text: string): Parsed {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return failed(unreadable);
  }
  const entries = isRecord(content) ? Object.entries(content) : [];
  const variables = new Map(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
  );
  // `direnv export json` has null for a variable that is to be unset.
  const [wrong] = entries.find(([, value]) => typeof value !== 'string' && value !== null) ?? [];
  return checked(
    variables,
    [],
    wrong === undefined ? undefined : `${unreadable}: ${shorten(wrong, longestName)} is not a string`,
  );
}

/** What cannot be put into an environment would fail the start of the server with a message that quotes it. */
function checked(
  variables: ReadonlyMap<string, string>,
  invalidLines: readonly number[],
  problem: string | undefined,
): Parsed {
  const isUsable = [...variables].every(([name, value]) => textChecks.variableName(name) && !value.includes('\0'));
  return { variables, invalidLines, problem: problem ?? (isUsable ? undefined : unreadable) };
}

function failed(problem: string): Parsed {
  return { variables: new Map(), invalidLines: [], problem };
}
