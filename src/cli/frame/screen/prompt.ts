import { Interrupted } from './interrupted.js';
import { readline } from './readline.js';

/** Whether a person can be asked: one reads stderr and can type. stdout may be a file. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
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
  const terminal = readline().createInterface({ input: process.stdin, output: process.stderr, prompt: question });
  return new Promise<string | undefined>((resolve, reject) => {
    terminal.once('SIGINT', () => reject(new Interrupted('Nothing was changed.')));
    terminal.once('close', () => {
      // The cursor is still behind the question.
      process.stderr.write('\n');
      resolve(undefined);
    });
    terminal.on('line', (line) => {
      const text = line.trim();
      if (isNeeded && text === '') return terminal.prompt();
      terminal.removeAllListeners('close');
      resolve(text);
    });
    signal?.addEventListener('abort', () => terminal.close(), { once: true });
    terminal.prompt();
  }).finally(() => terminal.close());
}
