import { expect, test } from 'vitest';
import { variablesIn } from './served-servers.js';

test('the directories of editors are no variables that a client such as Codex has to pass on', () => {
  const entry = { command: 'x', args: ['${workspaceFolder}/a', '${userHome}', '${TOKEN}', '${input:key}', '${D:-d}'] };
  const text = JSON.stringify({ toolboxes: { dev: { mcpServers: { a: { ...entry, env_vars: ['P'] } } } } });
  expect(variablesIn({ path: '/c.json', text })).toEqual(['TOKEN', 'INPUT_KEY', 'D', 'P']);
});
