import { cutToWidth } from '../../../text/display-width.js';
import { printableLine } from '../../../text/printable.js';
import { shorten } from '../../../text/shorten.js';
import type { Progress } from '../../../workbench/ports/downstream.js';
import type { Output } from '../../frame/screen/output.js';

// Some servers report every file that they read.
const leastMs = 250;
const longestText = 200;

/** Progress of a call on stderr: on a terminal one line that is replaced, and of which nothing stays; elsewhere some lines. */
export interface ProgressLines {
  show(progress: Progress): void;
  /** Nothing is shown while this runs: a question. */
  without<T>(work: () => Promise<T>): Promise<T>;
  end(): void;
}

export function createProgressLines(output: Output): ProgressLines {
  const { isTTY } = process.stderr;
  const columns = process.stderr.columns || 80;
  const { ellipsis, talk } = output.signs;
  let last = -leastMs;
  let isShown = false;
  let questions = 0;
  const clear = () => {
    if (isShown) process.stderr.write('\u001B[1A\u001B[J');
    isShown = false;
  };
  return {
    show({ progress, total, message }) {
      const now = performance.now();
      if (now - last < leastMs || questions > 0) return;
      last = now;
      const text = shorten([countOf(progress, total), message].filter(Boolean).join(' '), longestText);
      if (!isTTY) return output.talk(text);
      clear();
      process.stderr.write(`${cutToWidth(printableLine(`${talk} ${text}`), columns - 1, ellipsis)}\n`);
      isShown = true;
    },
    async without(work) {
      clear();
      questions++;
      try {
        return await work();
      } finally {
        questions--;
      }
    },
    end: clear,
  };
}

/** Signs of life add millionths, which mean nothing to people. */
function countOf(progress = 0, total?: number): string {
  const number = Number(progress.toFixed(4));
  if (total !== undefined) return `${number}/${total}`;
  return number === 0 && progress !== 0 ? '' : String(number);
}
