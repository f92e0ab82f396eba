import { expect, test } from 'vitest';
import { displayWidth } from '../../../text/display-width.js';
import { generalHelp } from '../command-line/help.js';
import { commands } from '../command-line/table.js';
import { fitted } from './wrapped.js';

test('lines that are too long are broken between words, below where their text begins', () => {
  expect(fitted('short\n  --search WORDS  the tools that fit these words best', 40)).toBe(
    ['short', '  --search WORDS  the tools that fit', '                  these words best'].join('\n'),
  );
  expect(fitted('› declined, because there is no terminal', 20)).toBe('› declined, because\nthere is no terminal');
  expect(fitted('one two three', undefined)).toBe('one two three');
});

test('commands are never broken', () => {
  expect(fitted("No toolbox 'github'. A server is in 'dev': mcp-workbench tools dev github", 40)).toBe(
    "No toolbox 'github'. A server is in\n'dev': mcp-workbench tools dev github",
  );
});

test.each([20, 33, 40, 60])('the help is broken between words in %i columns, and loses none', (width) => {
  const help = generalHelp(commands);
  const lines = fitted(help, width).split('\n');
  const wordsIn = (text: string) => text.split(/\s+/).filter((word) => word !== '');
  expect(wordsIn(lines.join('\n'))).toEqual(wordsIn(help));
  const long = lines.filter((line) => displayWidth(line) > width);
  expect(long.filter((line) => wordsIn(line).length > 1 && !/mcp-workbench |[/\\]/.test(line))).toEqual([]);
});
