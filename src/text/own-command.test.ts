import { expect, test } from 'vitest';
import { ownCommand } from './own-command.js';

test.each([
  [['dev', 'linear'], [], 'mcp-workbench auth dev linear'],
  [['my box', "o'clock"], ['--no-browser'], "mcp-workbench auth 'my box' 'o'\\''clock' --no-browser"],
  [['-dev', ''], ['--config', '~/a b.json'], "mcp-workbench auth --config '~/a b.json' -- -dev ''"],
  [['$(id)', '日本'], [], "mcp-workbench auth '$(id)' '日本'"],
])('%j with %j can be pasted', (words, options, expected) => {
  expect(ownCommand('auth', words, options)).toBe(expected);
});
