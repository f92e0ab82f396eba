import { expect, test } from 'vitest';
import { client } from './client.js';

// Each client's own words for "I have started it and it answered". None of this needs an account.

test('Claude Code connects', async () => {
  const { entry, run } = client('claude');
  await run(['mcp', 'add', '--scope', 'user', 'workbench', '--', entry.command, ...entry.args]);
  expect(await run(['mcp', 'list'])).toMatch(/^workbench: .* ✔ Connected$/m);
});

test('Codex connects and sees two tools', async () => {
  const { entry, run } = client('codex');
  await run(['mcp', 'add', 'workbench', '--', entry.command, ...entry.args]);
  const clientInfo = { name: 'mcp-workbench-test', title: 'Test', version: '1.0.0' };
  const said = await run(
    ['app-server'],
    [
      { id: 1, method: 'initialize', params: { clientInfo } },
      { id: 2, method: 'mcpServerStatus/list', params: {} },
    ],
  );
  const status = said.split('\n').find((line) => line.startsWith('{"id":2,'));
  const [server] = JSON.parse(status ?? '{}').result.data;
  expect(server).toMatchObject({ name: 'workbench', serverInfo: { name: 'mcp-workbench' } });
  expect(Object.keys(server.tools).sort()).toEqual(['open_toolbox', 'use_tool']);
});

test('Gemini CLI connects', async () => {
  const { entry, write, run } = client('gemini');
  write('.gemini/settings.json', {
    mcpServers: { workbench: entry },
    security: { folderTrust: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
  });
  expect(await run(['mcp', 'list'])).toMatch(/^✓ workbench: .* - Connected$/m);
});

test('opencode connects', async () => {
  const { entry, write, run } = client('opencode');
  write('.config/opencode/opencode.json', {
    mcp: { workbench: { type: 'local', command: [entry.command, ...entry.args] } },
  });
  expect(await run(['mcp', 'list'])).toMatch(/✓ workbench connected$/m);
});
