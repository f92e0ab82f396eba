import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { connectBare } from '../support/bare-client.js';
import { hostNameOfTest } from '../support/hosts.js';
import { createFreshHome, type FreshHome, mcp, recorder } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';
import { markerVariable } from '../support/processes.js';

interface Started {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Expected {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const surroundings = { INPUT_KEY: 'asked for', PASSED: 'passed on', NOT_PASSED: 'stays outside' };

/** A server in the words of every client, and how each client starts it. */
function everyClient(home: FreshHome): Record<string, Expected> {
  const record = (name: string) => join(home.path, `${name}.started`);
  const node = process.execPath;
  const program = (name: string, args: readonly string[], more: object = {}) => ({
    command: node,
    args: [recorder, record(name), ...args],
    ...more,
  });
  const shop = join(home.path, 'shop');
  mkdirSync(shop);
  const write = (file: string, content: object) => home.write(file, JSON.stringify(content, undefined, 2));
  write('.claude.json', {
    ...mcp({
      claude: program('claude', ['a b', '${HOME}', '${UNSET:-default}'], {
        type: 'stdio',
        env: { API_TOKEN: 'it\'s "secret" \\ $1', PLAIN: 'x' },
      }),
    }),
    projects: { [shop]: mcp({ project: program('project', ['--key', 'sk-0123456789abcdef']) }) },
  });
  write('.config/Claude/claude_desktop_config.json', mcp({ desktop: program('desktop', ['${HOME}', '$HOME']) }));
  write('.cursor/mcp.json', mcp({ cursor: program('cursor', ['${env:HOME}', '${userHome}']) }));
  write('.config/Code/User/mcp.json', {
    inputs: [{ id: 'key', type: 'promptString', description: 'A key' }],
    servers: { vscode: program('vscode', [], { type: 'stdio', env: { KEY: '${input:key}' } }) },
  });
  home.write('work/.env', 'FROM_FILE=1\n');
  write('work/.vscode/mcp.json', {
    servers: { here: program('here', ['${workspaceFolder}/x'], { envFile: '${workspaceFolder}/.env' }) },
  });
  home.write(
    '.codex/config.toml',
    `[mcp_servers.codex]\ncommand = ${JSON.stringify(node)}\nargs = ${JSON.stringify([recorder, record('codex'), '$HOME'])}\nenv_vars = ["PASSED"]\n`,
  );
  write('.gemini/settings.json', mcp({ gemini: program('gemini', ['$HOME', '${HOME}'], { cwd: shop }) }));
  write('.config/opencode/opencode.json', {
    mcp: {
      opencode: {
        type: 'local',
        command: [node, recorder, record('opencode'), '${HOME}'],
        environment: { HERE: '{env:HOME}' },
      },
    },
  });
  write('.codeium/windsurf/mcp_config.json', mcp({ windsurf: program('windsurf', ['${env:HOME}']) }));
  write('.config/zed/settings.json', { context_servers: { zed: program('zed', ['${A}'], { timeout: 60 }) } });
  write('.copilot/mcp-config.json', mcp({ copilot: program('copilot', [], { type: 'local', tools: ['*'] }) }));
  write('.qwen/settings.json', mcp({ qwen: program('qwen', ['$HOME/q']) }));
  return {
    claude: { args: ['a b', home.path, 'default'], env: { API_TOKEN: 'it\'s "secret" \\ $1', PLAIN: 'x' } },
    project: { args: ['--key', 'sk-0123456789abcdef'], cwd: shop },
    desktop: { args: ['${HOME}', '$HOME'] },
    cursor: { args: [home.path, home.path] },
    vscode: { args: [], env: { KEY: 'asked for' } },
    here: { args: [`${home.cwd}/x`], env: { FROM_FILE: '1' }, cwd: home.cwd },
    codex: { args: ['$HOME'], env: { PASSED: 'passed on' } },
    gemini: { args: [home.path, home.path], cwd: shop },
    opencode: { args: ['${HOME}'], env: { HERE: home.path } },
    windsurf: { args: [home.path] },
    zed: { args: ['${A}'] },
    copilot: { args: [] },
    qwen: { args: [`${home.path}/q`] },
  };
}

test('every imported entry starts the same program with the same arguments, directory and variables, from a client that init connected; undo brings back every byte', async () => {
  linuxOnly('the places of the files are those of Linux');
  const home = createFreshHome();
  const expected = everyClient(home);
  const before = home.contents();
  expect(await home.run('init', '--yes', '--project', '--connect', 'all')).toMatchObject({ code: 0, stderr: '' });
  const { mcpServers } = parseJsonc(readFileSync(home.fileOf('cursor'), 'utf8'));
  expect(Object.keys(mcpServers)).toEqual(['workbench']);
  const marker = randomUUID();
  const own = { PATH: process.env['PATH'] ?? '', HOME: home.path };
  const env = { ...own, ...surroundings, [markerVariable]: marker };
  const { command, args } = mcpServers.workbench;
  const client = connectBare({
    command,
    args: [...args, '--host-name', hostNameOfTest()],
    env,
    cwd: home.path,
    marker,
    dir: home.path,
  });
  await client.initialize();
  const { toolboxes } = parseJsonc(readFileSync(home.config, 'utf8'));
  const names: string[] = [];
  for (const [toolbox, { mcpServers: servers }] of Object.entries<{ mcpServers: object }>(toolboxes))
    for (const name of Object.keys(servers)) {
      names.push(name);
      const { message } = await client.use(toolbox, name, 'where');
      const started: Started = JSON.parse(readFileSync(join(home.path, `${name}.started`), 'utf8'));
      const { args: words, env: variables = {}, cwd } = expected[name] ?? { args: [] };
      expect([name, started.args]).toEqual([name, words]);
      expect(started.env).toMatchObject(variables);
      expect(started.cwd).toBe(cwd ?? home.path);
      expect(message.result?.content?.[0]?.text).toBe(started.cwd);
      // Nothing that is for others.
      const given = Object.keys(started.env).filter((key) =>
        /^(?:API_TOKEN|KEY|PASSED|NOT_PASSED|HERE|FROM_FILE|PLAIN)$/.test(key),
      );
      expect([name, given.toSorted()]).toEqual([name, Object.keys(variables).toSorted()]);
    }
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted());
  expect(await home.run('undo', '--yes')).toMatchObject({ code: 0 });
  const after = Object.entries(home.contents()).filter(([name]) => !/\.(?:started|lock\.json)$/.test(name));
  expect(Object.fromEntries(after)).toEqual(before);
});
