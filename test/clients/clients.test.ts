import { expect, test } from 'vitest';
import { clientEntry } from '../support/client-entries.js';
import { client } from './client.js';

// The entries of docs/clients.md, as a user pastes them. Where a client says that it has connected, in its own words; else by what
// it has sent. None of this needs an account.

/** A model that no client can reach: they connect to their servers first. */
const nowhere = 'http://127.0.0.1:9';

test('Claude Code connects', async () => {
  const { write, run } = client('claude');
  write('.claude.json', clientEntry('Claude Code'));
  expect(await run(['mcp', 'list'])).toMatch(/^workbench: .* ✔ Connected$/m);
});

test('Codex connects and sees two tools', async () => {
  const { write, run } = client('codex');
  write('.codex/config.toml', clientEntry('Codex'));
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
  const { write, run } = client('gemini');
  write('.gemini/settings.json', {
    ...JSON.parse(clientEntry('Gemini CLI')),
    security: { folderTrust: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
  });
  expect(await run(['mcp', 'list'])).toMatch(/^✓ workbench: .* - Connected$/m);
});

test('Qwen Code connects', async () => {
  const { write, run } = client('qwen');
  write('.qwen/settings.json', clientEntry('Qwen Code'));
  expect(await run(['mcp', 'list'])).toMatch(/^✓ workbench: .* - Connected$/m);
});

test('opencode connects', async () => {
  const { write, run } = client('opencode');
  write('.config/opencode/opencode.json', clientEntry('opencode'));
  expect(await run(['mcp', 'list'])).toMatch(/✓ workbench connected$/m);
});

test('Copilot CLI connects and lists the tools', async () => {
  const { write, run, sent } = client('copilot', { COPILOT_PROVIDER_BASE_URL: nowhere, COPILOT_MODEL: 'none' });
  write('.copilot/mcp-config.json', clientEntry('Copilot CLI'));
  await run(['-p', 'Say hello', '--allow-tool', 'workbench']);
  expect(sent()).toContain('tools/list');
});

test('Cline connects and lists the tools', async () => {
  const { write, run, sent } = client('cline');
  write('.cline/data/settings/cline_mcp_settings.json', clientEntry('Cline'));
  await run(['--provider', 'openai', '--key', 'none', '--model', 'none', '--timeout', '20', 'Say hello to me']);
  expect(sent()).toContain('tools/list');
});

test('Continue connects and lists the tools', async () => {
  const { write, run, sent } = client('cn');
  const model = `models:\n  - { name: none, provider: openai, model: none, apiKey: none, apiBase: "${nowhere}" }\n`;
  write('.continue/config.yaml', `${clientEntry('Continue')}${model}`);
  await run(['--config', '.continue/config.yaml', '-p', 'Say hello']);
  expect(sent()).toContain('tools/list');
});
