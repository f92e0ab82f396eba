import { printable } from '../../../text/printable.js';
import { alignedRows, type Layout, type Row } from './columns.js';
import type { ExitCode } from './exit-codes.js';
import type { Failure } from './failure.js';
import { createMarks, type Mark, type Signs, signsFor, withColors } from './marks.js';
import type { Stream } from './streams.js';
import { fitted } from './wrapped.js';

/** What the output of a command depends on. */
export interface Screen {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** The results of a command: text for people, or one JSON document. */
export interface Output {
  readonly isJson: boolean;
  /** The columns of the terminal that the answer goes to; undefined if it goes elsewhere, and nothing is cut then. */
  readonly width: number | undefined;
  readonly signs: Signs;
  /** The answer: one or more lines on stdout; nothing with `--json`. */
  print(text: string): void;
  /** The same, with lines of ours broken between words to fit the terminal. Not for text of others, which could begin a line. */
  printText(text: string): void;
  /** The same, as aligned columns. Texts between the rows are printed as they are. */
  printRows(rows: readonly (Row | string)[], layout?: Layout): void;
  /** A text of ours on stdout, also with `--json`. */
  show(text: string): void;
  /** One or more lines on stderr, also with `--json`. */
  say(text: string): void;
  /** What is going on, as a line of its own on stderr. */
  talk(text: string): void;
  /** A line on stderr about something that takes a while: what it is, and at its end how long it took. */
  progress(text: string): (end: string) => void;
  /** Commands to run next. Only a person at a terminal reads them. */
  next(commands: readonly string[]): void;
  /** The JSON document; nothing without `--json`. */
  document(content: object): void;
  /** Reports a problem and gives the exit code back. */
  fail(failure: Failure): ExitCode;
  mark(kind: Mark): string;
  /** Whether the reader of the answer has closed its end. */
  readonly isUnread: () => boolean;
}

export function createOutput(screen: Screen, options: { readonly json: boolean; readonly color: boolean }): Output {
  const { stdout, stderr, env } = screen;
  const { json } = options;
  const isTerminal = stdout.isTTY === true && !json;
  const width = isTerminal ? stdout.columns || 80 : undefined;
  const hasColor = options.color && isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const signs = signsFor(screen);
  const mark = createMarks(signs, hasColor);
  // Names and descriptions of others must not reach the terminal as commands to it; piped, they stay what they are.
  const write = (stream: Stream, text: string) =>
    stream.write(`${stream.isTTY === true ? withColors(text, onTerminal) : text}\n`);
  // What a command says about itself is never pasted as a whole, so its lines may be broken.
  const tell = (text: string) => write(stderr, fitted(text, stderr.isTTY === true ? stderr.columns || 80 : undefined));
  const print = (text: string) => void (json || write(stdout, text));
  return {
    isJson: json,
    width,
    signs,
    print,
    printText: (text) => print(fitted(text, width)),
    printRows(rows, layout = {}) {
      // In one go: each write wakes the reader.
      const lines = alignedRows(rows, { width, ellipsis: signs.ellipsis, ...layout });
      if (lines.length > 0) print(lines.join('\n'));
    },
    show: (text) => stdout.write(fitted(text, width)),
    say: tell,
    talk: (text) => tell(`${signs.talk} ${text}`),
    progress(text) {
      const begin = `${signs.talk} ${text} ${signs.ellipsis}`;
      const isLive = stderr.isTTY === true;
      if (isLive) stderr.write(withColors(begin, onTerminal));
      return (end) => (isLive ? stderr.write(` ${end}\n`) : write(stderr, `${begin} ${end}`));
    },
    next(commands) {
      if (width === undefined) return;
      for (const [index, command] of commands.entries()) print(`  ${index === 0 ? 'Next' : '    '}    ${command}`);
    },
    document: (content) => void (json && stdout.write(`${JSON.stringify({ version: 1, ...content })}\n`)),
    fail({ exit, ...error }) {
      const next = error.next === undefined || width === undefined ? [] : [`  Next: ${error.next}`];
      if (json) stdout.write(`${JSON.stringify({ version: 1, error })}\n`);
      else tell([error.message, ...next].join('\n'));
      return exit;
    },
    mark,
    isUnread: stdout.isClosed,
  };
}

/** Without a carriage return a text could overwrite its own line. */
function onTerminal(text: string): string {
  return printable(text).replace(/\r(?!\n)/g, ' ');
}
