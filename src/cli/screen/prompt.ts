import { createInterface } from 'node:readline';
import { Interrupted } from './interrupted.js';

/** Whether a person can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Asks on the terminal. Anything but a clear yes is a no, the end of the input included. */
export function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise<boolean>((resolve, reject) => {
    terminal.once('SIGINT', () => reject(new Interrupted('Nothing was changed.')));
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
