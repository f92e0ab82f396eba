import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showLive } from './live-lines.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

// oxlint-disable-next-line no-control-regex -- the sequences that move the cursor and erase
const commands = new RegExp('(\\u001B\\[\\d*[AJ]|\\n)');

/** A terminal as far as these lines use it: what has scrolled out of it, and what it shows. Lines that are too long are broken. */
function createTerminal(columns: number, rows: number) {
  const lines: string[] = [''];
  const print = (text: string) => {
    for (let rest = text; rest !== ''; rest = rest.slice(terminal.columns)) {
      if (rest !== text) lines.push('');
      lines[lines.length - 1] += rest.slice(0, terminal.columns);
    }
  };
  const terminal = {
    isTTY: true,
    columns,
    rows,
    lines,
    write(text: string) {
      for (const piece of text.split(commands)) {
        const [, count, command] = commands.exec(piece)?.[0].match(/\[(\d*)([AJ])/) ?? [];
        if (piece === '\n') lines.push('');
        // What has scrolled away cannot be reached.
        else if (command === 'A')
          lines.length = Math.max(lines.length - Number(count), lines.length - terminal.rows + 1, 1);
        else if (command === 'J') lines[lines.length - 1] = '';
        else print(piece);
      }
    },
    /** As terminals do it: what was on a line takes two. */
    narrow(to: number) {
      const all = lines.splice(0).flatMap((line) => line.match(new RegExp(`.{1,${to}}`, 'g')) ?? ['']);
      lines.push(...all);
      terminal.columns = to;
    },
  };
  return terminal;
}

test.each([1, 5, 40])('of %i lines that are replaced again and again, nothing stays', (count) => {
  const terminal = createTerminal(80, 24);
  terminal.write('$ mcp-workbench doctor\n');
  const live = showLive(terminal, '…', () => Array.from({ length: count }, (_, index) => `starting ${index}`));
  for (let frame = 0; frame < 10; frame++) vi.advanceTimersByTime(200);
  expect(terminal.lines.length).toBeLessThanOrEqual(24);
  live.end();
  expect(terminal.lines).toEqual(['$ mcp-workbench doctor', '']);
});

test('nothing stays of lines that the terminal has broken since, because it is narrower', () => {
  const terminal = createTerminal(80, 24);
  terminal.write('$ mcp-workbench doctor\n');
  const live = showLive(terminal, '…', () => ['starting everyday github '.repeat(3)]);
  terminal.narrow(30);
  vi.advanceTimersByTime(200);
  live.end();
  expect(terminal.lines).toEqual(['$ mcp-workbench doctor', '']);
});
