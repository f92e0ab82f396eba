import { expect, test } from 'vitest';
import { clientTitles } from './client-title.js';

test.each([
  [['claude-code', 'cursor-vscode', 'claude-code'], 'Claude Code ×2, Cursor'],
  [['Visual Studio Code', 'codex-mcp-client', 'gemini-cli-mcp-client-workbench'], 'VS Code, Codex, Gemini CLI'],
  [['cursor', 'cursor-vscode'], 'Cursor ×2'],
  [['my-own', '__proto__', ''], 'my-own, __proto__, a client'],
  [[], ''],
])('clients that report %j are shown as %j', (names, shown) => {
  expect(clientTitles(names)).toBe(shown);
});
