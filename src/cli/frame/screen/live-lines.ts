import { cutToWidth, displayWidth } from '../../../text/display-width.js';
import { printableLine } from '../../../text/printable.js';

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
  let shown: readonly string[] = [];
  const clear = () => {
    // A terminal that is narrower by now has broken lines that fitted.
    const columns = terminal.columns || 80;
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
    if (rows > 0) terminal.write(`\u001B[${rows}A\u001B[J`);
    shown = [];
  };
  const draw = () => {
    const room = Math.max(1, Math.min(mostLines, (terminal.rows || 24) - 2));
    // A line that is as wide as the terminal would take two.
    const width = Math.max(1, (terminal.columns || 80) - 1);
    clear();
    shown = lines()
      .slice(0, room)
      .map((line) => cutToWidth(printableLine(line), width, ellipsis));
    if (shown.length > 0) terminal.write(`${shown.join('\n')}\n`);
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
