import { isWorkbenchError, messageOf, type Place } from '../contract/errors.js';
import { printable } from '../text/printable.js';
import { type ExitCode, exitCodes } from './exit-codes.js';

/** What the output of a command depends on. */
export interface Screen {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** The results of a command: text for people, or one JSON document. */
export interface Output {
  readonly isJson: boolean;
  /** One or more lines on stdout; nothing with `--json`. */
  print(text: string): void;
  /** One or more lines on stderr, also with `--json`. */
  say(text: string): void;
  /** The JSON document; nothing without `--json`. */
  document(content: object): void;
  /** Reports a problem and gives the exit code back. */
  fail(failure: Failure): ExitCode;
  mark(kind: Mark): string;
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly place?: Place;
  /** The command to run next. */
  readonly next?: string;
  readonly exit: ExitCode;
}

const marks = { well: ['✓', 'ok', 32], bad: ['✗', 'x', 31], warning: ['!', '!', 33] } as const;
export type Mark = keyof typeof marks;

export function createOutput(screen: Screen, options: { readonly json: boolean; readonly color: boolean }): Output {
  const { stdout, stderr, env } = screen;
  const { json } = options;
  const hasColor = options.color && stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  // Names and descriptions of others must not reach the terminal as commands to it; piped, they stay what they are.
  const write = (stream: Screen['stdout'], text: string) =>
    void stream.write(`${stream.isTTY === true ? withOwnColors(text) : text}\n`);
  return {
    isJson: json,
    print: (text) => void (json || write(stdout, text)),
    say: (text) => write(stderr, text),
    document: (content) => void (json && stdout.write(`${JSON.stringify({ version: 1, ...content })}\n`)),
    fail({ exit, ...error }) {
      if (json) stdout.write(`${JSON.stringify({ version: 1, error })}\n`);
      else write(stderr, [error.message, ...(error.next === undefined ? [] : [`  Next: ${error.next}`])].join('\n'));
      return exit;
    },
    mark(kind) {
      const [sign, word, color] = marks[kind];
      const shown = writesUtf8(screen) ? sign : word;
      return hasColor ? colored(shown, color) : shown;
    },
  };
}

/** An error of ours as a failure: a faulty configuration has an exit code of its own. */
export function failureOf(error: unknown): Failure {
  if (!isWorkbenchError(error)) return { code: 'FAILED', message: messageOf(error), exit: exitCodes.failed };
  const { code, message, place } = error;
  const isFaulty = code === 'CONFIG_INVALID' || code === 'CONFIG_UNSAFE';
  return {
    code,
    message,
    ...(Object.keys(place).length > 0 && { place }),
    exit: isFaulty ? exitCodes.configInvalid : exitCodes.failed,
  };
}

export function usageFailure(message: string): Failure {
  return { code: 'USAGE', message, exit: exitCodes.usage };
}

// Ours are written with a character that foreign text never has after `printable`.
const begin = '\uE000';
const end = '\uE001';

function colored(text: string, color: number): string {
  return `${begin}${color}m${text}${end}`;
}

function withOwnColors(text: string): string {
  return text
    .split(/(\uE000\d+m[✓✗!okx]+\uE001)/u)
    .map((piece, index) =>
      index % 2 === 0 ? printable(piece) : piece.replace(begin, '\u001B[').replace(end, '\u001B[0m'),
    )
    .join('');
}

function writesUtf8({ env, platform }: Screen): boolean {
  if (platform === 'win32') return env['WT_SESSION'] !== undefined || env['TERM_PROGRAM'] !== undefined;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale) || (locale === '' && platform === 'darwin');
}
