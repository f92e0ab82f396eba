import { expect, test } from 'vitest';
import { checkConfiguration } from './check.js';

const check = (config: unknown) =>
  checkConfiguration(typeof config === 'string' ? config : JSON.stringify(config), { env: {}, home: '/home/me' });

const files = { command: 'npx', args: ['secret-in-an-argument'], env: { KEY: 'secret-in-env' } };

test('a valid configuration is summarized by toolboxes and servers', () => {
  const mcpServers = {
    files,
    few: { command: 'x', toolFilters: ['read_*'] },
    mute: { command: 'x', toolFilters: [] },
    far: { url: 'https://example.com/mcp' },
    off: { command: 'x', disabled: true },
  };
  expect(
    check({ toolboxes: { dev: { description: 'For work', mcpServers } } })
      .split('\n')
      .slice(0, -1),
  ).toEqual([
    'Valid. 1 toolbox:',
    '- dev: For work',
    '  - files: local program, all tools',
    '  - few: local program, tools that match its filters',
    '  - mute: local program, no tools',
    '  - far: remote server, all tools',
    '  - off: disabled',
  ]);
});

test('every fault is reported with its line, column, place and remedy', () => {
  const answer = check('{\n  "toolboxes": {\n    "dev": { "mcpServers": { "files": {} } }\n  }\n}');
  expect(answer).toMatch(/workbench-config\.json:3:\d+ config\.toolboxes\.dev.*description/);
  expect(answer).toMatch(/workbench-config\.json:3:\d+ config\.toolboxes\.dev\.mcpServers\.files: .*command/);
});

test('invalid JSON is reported with its line and column', () => {
  expect(check('{ "toolboxes": ')).toMatch(/workbench-config\.json:1:\d+/);
  expect(check('')).toMatch(/workbench-config\.json:1:1/);
});

test('a variable that is not set makes only its server unavailable', () => {
  const mcpServers = { api: { command: 'x', env: { TOKEN: '${API_TOKEN}' } }, files };
  const answer = check({ toolboxes: { dev: { description: 'For work', mcpServers } } });
  expect(answer).toMatch(/^Valid/);
  expect(answer).toMatch(/api: unavailable: .*API_TOKEN/);
  expect(answer).toContain('files: local program');
});

test('an unknown key is a warning', () => {
  const toolboxes = { dev: { description: 'For work', mcpServers: { files: { ...files, toolFilter: [] } } } };
  expect(check({ toolboxes })).toMatch(/^Warning: .*toolFilter/m);
});

test('values are never repeated', () => {
  const broken = { ...files, command: 'secret-command', headers: 'secret-header' };
  for (const server of [files, broken]) {
    expect(check({ toolboxes: { dev: { description: 'For work', mcpServers: { server } } } })).not.toContain('secret-');
  }
});
