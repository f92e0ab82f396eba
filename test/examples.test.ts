import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, test } from 'vitest';
import type { Config, ServerConfig } from '../src/config/config.js';
import type { OpenToolboxResult } from '../src/contract/types.js';

// Every example configuration is loaded and run by the built program.
const root = fileURLToPath(new URL('..', import.meta.url));
const shown = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.jsonc'));
const files = [...shown.map((name) => join('examples', name)), 'workbench-config.test.json'];

// `npx -y <package>` finds a package that is installed in the working directory. With this home it uses no registry.
const home = mkdtempSync(join(tmpdir(), 'mcp-workbench-examples-'));
writeFileSync(join(home, '.npmrc'), 'offline=true\nupdate-notifier=false\n');
const env = { ...getDefaultEnvironment(), HOME: home, USERPROFILE: home, TMPDIR: home, TRACKER_TOKEN: 'secret' };
const { loadConfig }: { loadConfig: (options: object) => Config } = await import(
  pathToFileURL(join(root, 'dist', 'index.js')).href
);

// What npx finds in a working directory has to be trusted.
execFileSync(process.execPath, [join(root, 'dist', 'main.js'), 'trust', root, '--yes'], { env, stdio: 'ignore' });

afterAll(() => rmSync(home, { recursive: true, force: true }));

test('there are examples', () => {
  expect(shown.length).toBeGreaterThanOrEqual(3);
});

describe.each(files)('%s', (file) => {
  const config = loadConfig({ path: join(root, file), env, cwd: root });
  const toolboxes = [...config.toolboxes.values()].filter(({ servers }) => [...servers.values()].some(isInstalled));

  test('has no faults and gives no warnings', () => {
    const servers = [...config.toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
    expect(config.warnings).toEqual([]);
    expect(servers.filter(({ target }) => target.kind === 'broken')).toEqual([]);
  });

  test('opens with its real servers', { timeout: 60_000 }, async () => {
    expect(toolboxes.length).toBeGreaterThan(0);
    const client = await connect(file);
    try {
      const opened = await Promise.all(toolboxes.map(({ name }) => open(client, name)));
      for (const [index, { servers }] of toolboxes.entries()) {
        expect(opened[index]?.unavailable ?? []).toEqual([]);
        expect(new Set(opened[index]?.tools.map(({ server }) => server))).toEqual(new Set(servers.keys()));
      }
    } finally {
      await client.close();
    }
  });
});

/** Whether the server is one of the development dependencies, so that it can be started here. */
function isInstalled({ target }: ServerConfig): boolean {
  return target.kind === 'stdio' && target.args.some((argument) => argument.includes('@modelcontextprotocol/server-'));
}

async function connect(file: string): Promise<Client> {
  const client = new Client({ name: 'examples-test', version: '1.0.0' });
  const args = [join(root, 'dist', 'main.js'), '--config', join(root, file)];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, env, stderr: 'ignore' }));
  return client;
}

async function open(client: Client, toolbox: string): Promise<OpenToolboxResult> {
  const { content } = await client.callTool({ name: 'open_toolbox', arguments: { toolbox } });
  const [block] = content;
  if (block?.type !== 'text') throw new Error('open_toolbox answers with one text block');
  return JSON.parse(block.text) as OpenToolboxResult;
}
