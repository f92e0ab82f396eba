import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { Interrupted } from './interrupted.js';
import { readline } from './readline.js';

let terminal: ReadStream | undefined;

/** Where answers are typed. */
export function keyboard(): ReadStream {
  return terminal ?? process.stdin;
}

/** Reads answers from the terminal itself, because stdin was a text. Without a terminal there are no questions. */
export function openKeyboard(): void {
  if (process.stdin.isTTY || !process.stderr.isTTY || process.platform === 'win32') return;
  try {
    terminal = new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    // The process has no terminal of its own.
  }
}

/** An open one would keep the process alive. */
export function closeKeyboard(): void {
  terminal?.destroy();
  terminal = undefined;
}

/** Whether a person can be asked: one reads stderr and can type. stdout may be a file. */
export function canAsk(): boolean {
  return keyboard().isTTY && process.stderr.isTTY;
}

/** Asks on the terminal, where yes is the safe answer: only a clear no is one. */
export async function confirmSafe(question: string): Promise<boolean> {
  const answer = await askLine(`${question} [Y/n] `);
  if (answer === undefined) throw new Interrupted('Nothing was changed.');
  return !/^no?$/i.test(answer);
}

/** Asks on the terminal. Anything but a clear yes is a no, the end of the input included. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await askLine(`${question} [y/N] `)) ?? '');
}

/** Asks for a text on the terminal. Undefined at the end of the input; `signal` takes the question back. */
export function askText(question: string, signal: AbortSignal): Promise<string | undefined> {
  return askLine(question, true, signal);
}

/** The first line, without spaces around it; `isNeeded`: the first one that has anything else. */
function askLine(question: string, isNeeded = false, signal?: AbortSignal): Promise<string | undefined> {
  const lines = readline().createInterface({ input: keyboard(), output: process.stderr, prompt: question });
  return new Promise<string | undefined>((resolve, reject) => {
    lines.once('SIGINT', () => reject(new Interrupted('Nothing was changed.')));
    lines.once('close', () => {
      // The cursor is still behind the question.
      process.stderr.write('\n');
      resolve(undefined);
    });
    lines.on('line', (line) => {
      const text = line.trim();
      if (isNeeded && text === '') return lines.prompt();
      lines.removeAllListeners('close');
      resolve(text);
    });
    signal?.addEventListener('abort', () => lines.close(), { once: true });
    lines.prompt();
  }).finally(() => lines.close());
}
