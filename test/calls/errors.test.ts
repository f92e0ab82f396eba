import { describe, expect, test } from 'vitest';
import { type RawResult, text } from '../support/agents.js';
import type { TestConfig } from '../support/configs.js';
import { connectAgent } from '../support/in-process.js';
import { posixOnly } from '../support/platform.js';
import { fixture, fixtureWith } from '../support/servers.js';

const config: TestConfig = {
  toolboxes: {
    dev: {
      description: 'For development',
      mcpServers: {
        fs: { ...fixtureWith(['read_file', 'read_folder', 'write_file']), toolFilters: ['read_*'] },
        odd: fixture(),
        slow: { ...fixture(), callTimeoutMs: 400 },
        missing: { command: '/does/not/exist' },
      },
    },
    prod: { description: 'In production', mcpServers: { fs: fixture() } },
  },
};

const fs = { toolbox: 'dev', server: 'fs', name: 'read_file' };

function expectError(result: RawResult, start: string): void {
  expect(text(result).slice(0, start.length)).toBe(start);
  expect(result.isError).toBe(true);
}

describe('of the input, to a legacy client', () => {
  const connect = () => connectAgent('v2 legacy', { config });

  test('an empty field is named with its path', async () => {
    const agent = await connect();
    const use = (tool: object) => agent.call('use_tool', { tool });
    expectError(await use({ ...fs, toolbox: '' }), 'Invalid parameters: tool.toolbox: Toolbox name cannot be empty');
    expectError(await use({ ...fs, server: '' }), 'Invalid parameters: tool.server: Server name cannot be empty');
    expectError(await use({ ...fs, name: '' }), 'Invalid parameters: tool.name: Tool name cannot be empty');
    expectError(await agent.open(''), 'Invalid parameters: toolbox: Toolbox name cannot be empty');
  });

  test('a missing field is required', async () => {
    const agent = await connect();
    const use = (args: unknown) => agent.call('use_tool', args);
    expectError(await use({ tool: { toolbox: 'dev', server: 'fs' } }), 'Invalid parameters: tool.name: Required');
    expectError(await use({ tool: { toolbox: 'dev', name: 'x' } }), 'Invalid parameters: tool.server: Required');
    expectError(await use({ tool: { server: 'fs', name: 'x' } }), 'Invalid parameters: tool.toolbox: Required');
    expectError(await use({ arguments: {} }), 'Invalid parameters: tool: Required');
    expectError(await use(undefined), 'Invalid parameters: tool: Required');
    expectError(
      await agent.call('open_toolbox', {}),
      'Invalid parameters: toolbox: Required. Call open_toolbox({"toolbox":"dev"}). Available toolboxes: dev, prod.',
    );
    expectError(await agent.call('open_toolbox', undefined), 'Invalid parameters: toolbox: Required');
  });

  test('a value of the wrong type is reported with both types', async () => {
    const agent = await connect();
    const use = (args: unknown) => agent.call('use_tool', args);
    expectError(
      await use({ tool: { ...fs, toolbox: 7 } }),
      'Invalid parameters: tool.toolbox: Expected string, received number',
    );
    expectError(
      await use({ tool: { ...fs, server: null } }),
      'Invalid parameters: tool.server: Expected string, received null',
    );
    expectError(
      await use({ tool: { ...fs, name: ['x'] } }),
      'Invalid parameters: tool.name: Expected string, received array',
    );
    expectError(
      await use({ tool: 'read_file' }),
      'Invalid parameters: tool: Expected object, received string. Call use_tool({"tool":{"toolbox":"TOOLBOX","server":"SERVER","name":"read_file"}}) with',
    );
    await agent.use('dev', 'fs', 'read_file');
    expectError(
      await use({ tool: 'read_file', arguments: { path: '/' } }),
      'Invalid parameters: tool: Expected object, received string. Call use_tool({"tool":{"toolbox":"dev","server":"fs","name":"read_file"},"arguments":{"path":"/"}}).',
    );
    expectError(await use({ tool: null }), 'Invalid parameters: tool: Expected object, received null');
    expectError(await use({ tool: [fs] }), 'Invalid parameters: tool: Expected object, received array');
    for (const [given, type] of [
      [[1], 'array'],
      [7, 'number'],
      [true, 'boolean'],
      ['not JSON', 'string'],
      ['[1]', 'string'],
    ] as const) {
      expectError(
        await use({ tool: fs, arguments: given }),
        `Invalid parameters: arguments: Expected object, received ${type}`,
      );
    }
    expectError(
      await agent.call('open_toolbox', { toolbox: { name: 'dev' } }),
      'Invalid parameters: toolbox: Expected string, received object',
    );
    expectError(
      await agent.call('open_toolbox', { toolbox: true }),
      'Invalid parameters: toolbox: Expected string, received boolean',
    );
  });

  test('an unknown key is reported with its place', async () => {
    const agent = await connect();
    expectError(
      await agent.call('use_tool', { tool: { ...fs, extra: 1 } }),
      "Invalid parameters: tool: Unrecognized key(s) in object: 'extra'",
    );
    expectError(
      await agent.call('use_tool', { tool: fs, extra: 1 }),
      "Invalid parameters: Unrecognized key(s) in object: 'extra'",
    );
    expectError(
      await agent.call('open_toolbox', { toolbox: 'dev', one: 1, two: 2 }),
      "Invalid parameters: Unrecognized key(s) in object: 'one', 'two'",
    );
  });

  test('the old spelling gets both faults and the corrected call', async () => {
    const agent = await connect();
    const result = await agent.call('use_tool', { tool: { toolbox: 'dev', server: 'fs', tool: 'read_file' } });
    expectError(result, 'Invalid parameters: tool');
    expect(text(result)).toContain('tool.name: Required');
    expect(text(result)).toContain("tool: Unrecognized key(s) in object: 'tool'");
    expect(text(result)).toMatch(/"tool":\s*\{\s*"toolbox":\s*"dev",\s*"server":\s*"fs",\s*"name":\s*"read_file"/);
  });

  test('several faults are reported in one line', async () => {
    const agent = await connect();
    const result = await agent.call('use_tool', { tool: { toolbox: '', server: 5 }, extra: 1 });
    expectError(result, 'Invalid parameters: ');
    const [firstLine = ''] = text(result).slice('Invalid parameters: '.length).split('\n');
    expect(firstLine.split('; ').sort()).toEqual([
      "Unrecognized key(s) in object: 'extra'",
      'tool.name: Required',
      'tool.server: Expected string, received number',
      'tool.toolbox: Toolbox name cannot be empty',
    ]);
  });
});

describe('of a call, to a modern client', () => {
  const connect = () => connectAgent('v2 modern', { config });

  test('the error for an unknown toolbox lists the toolboxes', async () => {
    const agent = await connect();
    const sentence = "Toolbox 'x' not found. Available toolboxes: dev, prod";
    expectError(await agent.open('x'), sentence);
    expectError(await agent.use('x', 'fs', 'read_file'), sentence);
  });

  test('the error for an unknown server lists the servers of the toolbox', async () => {
    const agent = await connect();
    const result = await agent.use('dev', 'x', 'read_file');
    expectError(result, "Server 'x' not found in toolbox 'dev'");
    expect(text(result)).toMatch(/fs, odd, slow, missing/);
  });

  test('the error for an unknown tool suggests similar names', async () => {
    const agent = await connect();
    const result = await agent.use('dev', 'fs', 'read_fil');
    expectError(result, "Tool 'read_fil' not found in server 'fs' (toolbox 'dev')");
    expect(text(result)).toContain('read_file');
  });

  test('a tool hidden by a filter is not found, and its name is not suggested', async () => {
    const agent = await connect();
    expectError(
      await agent.use('dev', 'fs', 'write_file'),
      "Tool 'write_file' not found in server 'fs' (toolbox 'dev')",
    );
    expect(text(await agent.use('dev', 'fs', 'write_fil'))).not.toContain('write_file');
  });

  test('a server that cannot be reached is reported with the reason', async () => {
    const agent = await connect();
    const sentence = "Failed to connect to server 'missing' in toolbox 'dev': ";
    const result = await agent.use('dev', 'missing', 'anything');
    expectError(result, sentence);
    expect(text(result).slice(sentence.length)).toContain('/does/not/exist');
  });

  test('a call whose server crashes fails with the place and how the server ended', async () => {
    posixOnly('signals');
    const agent = await connect();
    const crash = (args: object) => agent.use('dev', 'odd', 'crash', args);
    const byCode = await crash({ with: 3, stderr: 'the disk is full' });
    for (const part of ['dev', 'odd', 'crash', '3', 'the disk is full']) expect(text(byCode)).toContain(part);
    expect(byCode.isError).toBe(true);
    const bySignal = await crash({ with: 'SIGKILL' });
    for (const part of ['dev', 'odd', 'crash', 'SIGKILL']) expect(text(bySignal)).toContain(part);
    expect(bySignal.isError).toBe(true);
  });

  test('a call that times out fails with the place and the limit', async () => {
    const agent = await connect();
    const result = await agent.use('dev', 'slow', 'hang');
    for (const part of ['dev', 'slow', 'hang', '400']) expect(text(result)).toContain(part);
    expect(result.isError).toBe(true);
  });

  test('a protocol error of the server becomes a result that names the call', async () => {
    const agent = await connect();
    const result = await agent.use('dev', 'odd', 'rpc_error', { code: -32042, message: 'out of tea' });
    for (const part of ['dev', 'odd', 'rpc_error', 'out of tea']) expect(text(result)).toContain(part);
    expect(result.isError).toBe(true);
  });
});
