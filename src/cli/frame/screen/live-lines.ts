import { cutToWidth } from '../../../text/display-width.js';
import { printable } from '../../../text/printable.js';

interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Lines at the bottom of a terminal that are replaced again and again. Nothing is written where there is no terminal. */
export interface LiveLines {
  end(): void;
}

const everyMs = 200;
const mostLines = 12;

/** `lines`: what to show now, called until the end. */
export function showLive(terminal: Terminal, ellipsis: string, lines: () => readonly string[]): LiveLines {
  if (terminal.isTTY !== true) return { end() {} };
  let shown = 0;
  const clear = () => {
    if (shown > 0) terminal.write(`\u001B[${shown}A\u001B[J`);
    shown = 0;
  };
  const draw = () => {
    const room = Math.max(1, Math.min(mostLines, (terminal.rows || 24) - 2));
    // A line that is as wide as the terminal would take two.
    const width = Math.max(1, (terminal.columns || 80) - 1);
    const now = lines().slice(0, room);
    clear();
    for (const line of now) terminal.write(`${cutToWidth(printable(line), width, ellipsis)}\n`);
    shown = now.length;
  };
  draw();
  const timer = setInterval(draw, everyMs);
  return {
    end() {
      clearInterval(timer);
      clear();
    },
  };
}
