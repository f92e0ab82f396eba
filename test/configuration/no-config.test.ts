import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { connectAgent, flavours, opened, text } from '../support/agents.js';
import { runCommand } from '../support/commands.js';
import { temporaryDirectory } from '../support/launch.js';
import { until } from '../support/until.js';
import { startWorkbench } from '../support/workbench.js';

const toolbox = 'getting-started';

describe('with no configuration anywhere, a client', () => {
  test.each(flavours)('of %s reads about the toolbox getting-started in the instructions', async (flavour) => {
    const agent = await connectAgent(flavour, {});
    expect(agent.instructions).toContain(toolbox);
    await until(() => agent.stderr().includes('configuration: none'), { what: 'the line about the configuration' });
  });

  test('reads how to configure, checks a configuration and gets an echo', async () => {
    const agent = await connectAgent('v2 modern', {});
    const { servers_connected, tools, ...rest } = opened(await agent.open(toolbox));
    expect(Object.keys(rest)).toEqual(['toolbox', 'description']);
    expect(servers_connected).toBe(1);
    expect(tools.map(({ name }) => name)).toEqual(['how_to_configure', 'check_configuration', 'echo']);
    for (const tool of tools) expect(tool.annotations).toMatchObject({ readOnlyHint: true });

    const server = tools[0]?.server ?? '';
    const use = async (name: string, args?: object) => text(await agent.use(toolbox, server, name, args));
    const guide = await use('how_to_configure');
    for (const word of [
      '--config',
      'WORKBENCH_CONFIG',
      'XDG_CONFIG_HOME',
      'mcpServers',
      'toolFilters',
      'callTimeoutMs',
    ]) {
      expect(guide).toContain(word);
    }
    expect(guide).toContain(await use('how_to_configure', { topic: 'variables' }));

    const good = '{ "toolboxes": { "dev": { "description": "Mine", "mcpServers": { "s": { "command": "x" } } } } }';
    expect(await use('check_configuration', { text: good })).toMatch(/^Valid\. 1 toolbox:\n- dev: Mine\n {2}- s:/);
    const bad = good.replace('"command": "x"', '');
    expect(await use('check_configuration', { text: bad })).toMatch(
      /:1:\d+ config\.toolboxes\.dev\.mcpServers\.s: .*command/,
    );

    expect(await use('echo', { text: 'ü ✓' })).toBe('ü ✓');
  });

  test('gets help for wrong arguments', async () => {
    const agent = await connectAgent('v2 legacy', {});
    const server = opened(await agent.open(toolbox)).tools[0]?.server ?? '';
    const missing = await agent.use(toolbox, server, 'check_configuration', {});
    expect(missing.isError).toBe(true);
    expect(text(missing)).toContain('workbench-config.json');
    const unknown = await agent.use(toolbox, server, 'how_to_configure', { topic: 'weather' });
    expect(unknown.isError).toBe(true);
    expect(text(unknown)).toContain('overview, location, variables, filters, limits');
  });
});

const content = (name: string) =>
  JSON.stringify({ toolboxes: { [name]: { description: 'Found', mcpServers: { s: { command: 'x' } } } } });

test('the configuration is looked for in four places, in this order; that in the working directory must be trusted', async () => {
  const dir = temporaryDirectory();
  const at = (name: string, ...path: string[]) => {
    const file = join(dir, ...path);
    writeFileSync(file, content(name));
    return file;
  };
  mkdirSync(join(dir, 'cwd'));
  mkdirSync(join(dir, 'xdg', 'mcp-workbench'), { recursive: true });
  mkdirSync(join(dir, 'home', '.config', 'mcp-workbench'), { recursive: true });
  const cwd = join(dir, 'cwd');
  const HOME = join(dir, 'home');
  const XDG_CONFIG_HOME = join(dir, 'xdg');
  const available = async (options: { args?: string[]; env?: Record<string, string> }) => {
    const agent = await connectAgent('v2 legacy', { cwd, ...options, env: { HOME, ...options.env } });
    return /Available toolboxes: (.*)/.exec(text(await agent.open('nowhere')))?.[1];
  };

  at('home', 'home', '.config', 'mcp-workbench', 'workbench-config.json');
  expect(await available({})).toBe('home');
  at('xdg', 'xdg', 'mcp-workbench', 'workbench-config.json');
  expect(await available({ env: { XDG_CONFIG_HOME } })).toBe('xdg');
  at('local', 'cwd', 'workbench-config.json');
  expect(await available({ env: { XDG_CONFIG_HOME } })).toBe('xdg');
  expect((await runCommand(['trust', '--yes'], { cwd, env: { HOME, XDG_CONFIG_HOME } })).code).toBe(0);
  expect(await available({ env: { XDG_CONFIG_HOME } })).toBe('local');
  const env = { XDG_CONFIG_HOME, WORKBENCH_CONFIG: at('variable', 'variable.json') };
  expect(await available({ env })).toBe('variable');
  expect(await available({ env, args: ['--config', at('option', 'option.json')] })).toBe('option');
});

test('comments, trailing commas and a byte order mark are allowed', async () => {
  const configText =
    '\uFEFF// mine\n{ "toolboxes": { /* one */ "dev": { "description": "D", "mcpServers": { "s": { "command": "x", }, }, }, }, }';
  const agent = await connectAgent('v2 legacy', { configText });
  expect(text(await agent.open('nowhere'))).toContain('Available toolboxes: dev');
});

test('an unknown key gets a warning with the nearest known key, on stderr', async () => {
  const server = { command: 'x', toolFilter: ['a'] };
  const configText = JSON.stringify({ toolboxes: { dev: { description: 'D', mcpServers: { server } } } });
  const workbench = startWorkbench({ configText });
  workbench.end();
  await workbench.exited;
  expect(workbench.stderr()).toMatch(/toolFilter\b.*toolFilters/);
  expect(workbench.lines).toEqual([]);
});

test('one line on stderr names the file in use', async () => {
  const workbench = startWorkbench({ configText: content('dev') });
  workbench.end();
  expect(await workbench.exited).toEqual({ code: 0, signal: null });
  expect(
    workbench
      .stderr()
      .split('\n')
      .filter((line) => line.includes(join(workbench.dir, 'workbench-config.json'))),
  ).toHaveLength(1);
});
