import { expect, test } from 'vitest';
import { checkConfiguration } from './check.js';

const check = (config: unknown) => checkConfiguration(typeof config === 'string' ? config : JSON.stringify(config));

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
      .slice(0, -2),
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
  const answer = check('{\n  "toolboxes": {\n    "dev": { "description": "", "mcpServers": { "files": {} } }\n  }\n}');
  expect(answer).toMatch(/workbench-config\.json:3:\d+ config\.toolboxes\.dev.*description/);
  expect(answer).toMatch(/workbench-config\.json:3:\d+ config\.toolboxes\.dev\.mcpServers\.files: .*command/);
});

test('invalid JSON is reported with its line and column', () => {
  expect(check('{ "toolboxes": ')).toMatch(/workbench-config\.json:1:\d+/);
  expect(check('')).toMatch(/workbench-config\.json:1:1/);
});

test('the variables that a server needs are named, those with a default are not', () => {
  const api = {
    command: '${PROGRAM}',
    args: ['${ROOT:-.}', '$${LITERAL}'],
    env: { TOKEN: '${API_TOKEN}', PATH: '${PATH}' },
  };
  const far = { url: 'https://${HOST}/', headers: { Authorization: 'Bearer ${API_TOKEN}' } };
  const answer = check({ toolboxes: { dev: { description: 'For work', mcpServers: { api, far, files } } } });
  expect(answer).toContain('api: local program, all tools, needs PROGRAM, API_TOKEN, PATH\n');
  expect(answer).toContain('far: remote server, all tools, needs HOST, API_TOKEN\n');
  expect(answer).toContain('files: local program, all tools\n');
});

test('a remote server is recognized in every spelling, with the variables that it needs', () => {
  const mcpServers = {
    one: { httpUrl: 'https://${A}/', env: { X: '${UNUSED}' } },
    two: { type: 'remote', serverUrl: 'https://${B}/', headers: { Accept: '${UNUSED}', X: '${C}' } },
    three: { transport: { type: 'sse', url: 'https://${D}/', headers: { X: '${E}' } }, envFile: '${F}' },
  };
  const answer = check({ toolboxes: { dev: { description: 'For work', mcpServers } } });
  expect(answer).toContain('one: remote server, all tools, needs A\n');
  expect(answer).toContain('two: remote server, all tools, needs B, C\n');
  expect(answer).toContain('three: remote server, all tools, needs D, E, F\n');
  expect(answer).toContain(
    'Warning: config.toolboxes.dev.mcpServers.one.env: This has no effect on a server with a url.',
  );
  expect(answer).toContain('Warning: config.toolboxes.dev.mcpServers.two.headers.Accept: This header is ignored');
});

test('an unknown key is a warning', () => {
  const toolboxes = { dev: { description: 'For work', mcpServers: { files: { ...files, toolFilter: [] } } } };
  expect(check({ toolboxes })).toMatch(/^Warning: .*toolFilter/m);
});

test('values are never repeated', () => {
  const broken = { ...files, command: 'secret-command', headers: 'secret-header' };
  const fallback = {
    ...files,
    env: { KEY: '${KEY:-secret-default}', OTHER: '${1:-secret-default}' },
    cwd: '${A:-secret-default}',
  };
  const odd = {
    ...files,
    envFile: 'secret-file',
    type: 'secret-type',
    protocol: 'secret-protocol',
    toolFilters: 'secret-filter',
  };
  for (const server of [files, broken, fallback, odd, { ...fallback, env: {} }]) {
    expect(check({ toolboxes: { dev: { description: 'For work', mcpServers: { server } } } })).not.toContain('secret-');
  }
});
