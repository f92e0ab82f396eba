import { createInterface } from 'node:readline';

/** The user pressed Ctrl-C. Recognised by its name: each part of the program has its own copy of the class. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Whether a person can be asked: one reads stderr and can type. stdout may be a file. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks on the terminal. Anything but a clear yes is a no, the end of the input included. */
export function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<boolean>((resolve, reject) => {
    terminal.once('SIGINT', () => reject(new Interrupted('interrupted')));
    const end = () => {
      // The cursor is still behind the question.
      process.stderr.write('\n');
      resolve(false);
    };
    terminal.once('close', end);
    terminal.question(`${question} [y/N] `, (answer) => {
      terminal.off('close', end);
      resolve(/^\s*y(?:es)?\s*$/i.test(answer));
    });
  }).finally(() => terminal.close());
}

/** Asks for a line of text on the terminal of stderr. Undefined at the end of the input; `signal` takes the question back. */
export function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<string | undefined>((resolve, reject) => {
    terminal.once('SIGINT', () => reject(new Interrupted('interrupted')));
    const end = () => {
      process.stderr.write('\n');
      resolve(undefined);
    };
    terminal.once('close', end);
    signal.addEventListener('abort', () => terminal.close(), { once: true });
    terminal.question(question, (answer) => {
      terminal.off('close', end);
      resolve(answer);
    });
  }).finally(() => terminal.close());
}
