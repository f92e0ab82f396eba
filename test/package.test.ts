import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runNpm } from '../scripts/npm.mjs';
import type { OpenToolboxResult } from '../src/contract/types.js';
import { hostNameOfTest } from './support/hosts.js';

// The package as npm would publish it, installed into an empty directory.
const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

let home: string;
let packed: Packed;
const installed = (...path: string[]) => join(home, 'node_modules', 'mcp-workbench', ...path);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mcp-workbench-package-'));
  // Without scripts: the build has run for all tests, and must not run again beside them.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', home];
  const report: unknown = JSON.parse(runNpm(pack, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }));
  packed = firstOf(report);
  const env = { ...process.env, npm_config_pack_destination: home };
  await run(process.execPath, [join(root, 'scripts', 'postpack.mjs')], { cwd: root, env });
  await writeFile(join(home, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const install = ['install', '--offline', '--no-audit', '--no-fund', join(home, packed.filename)];
  runNpm(install, { cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
}, 120_000);

afterAll(() => rm(home, { recursive: true, force: true }));

describe('the packed package', () => {
  test('contains the build, the schema and the docs for users, and no internals, source, test or map', () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'LICENSE',
        'dist/main.js',
        'dist/index.mjs',
        'dist/getting-started.js',
        'dist/host.js',
      ]),
    );
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/types/index.d.ts',
        'dist/THIRD-PARTY-NOTICES.txt',
        'schema/workbench-config.schema.json',
      ]),
    );
    expect(paths.filter((path) => !allowed(path))).toEqual([]);
  });

  test('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed(), strict: true, pack: false });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  test('contains the licence of every bundled package', async () => {
    const notices = await readFile(installed('dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    expect(notices).not.toContain('@modelcontextprotocol/server');
    for (const name of ['zod', 'jsonc-parser', 'toml-eslint-parser', 'diff', 'jose', '@modelcontextprotocol/client']) {
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    }
  });
});

describe('the installed package', () => {
  test('has the package.json of the project without development scripts and packages', async () => {
    const read = async (path: string): Promise<object> => JSON.parse(await readFile(path, 'utf8'));
    const here = await read(join(root, 'package.json'));
    expect(here).toHaveProperty('scripts.check');
    const { scripts: _, devDependencies: __, ...forUsers } = { scripts: {}, devDependencies: {}, ...here };
    expect(await read(installed('package.json'))).toEqual(forUsers);
  });

  test('has exactly the packed files', async () => {
    const entries = await readdir(installed(), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const expected = packed.files.map(({ path }) => installed(...path.split('/')));
    expect(files.toSorted()).toEqual(expected.toSorted());
  });

  test('installs no other package', async () => {
    const manifest: unknown = JSON.parse(await readFile(installed('package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
    expect(await modulesIn(home)).toEqual(['mcp-workbench']);
  });

  test('connected from the cache of a package runner, its entry works when the cache is gone', async () => {
    const user = join(home, 'user');
    const cache = join(user, '.npm', '_npx', '0a1b2c');
    const cached = join(cache, 'node_modules', 'mcp-workbench');
    const data = join(user, '.local', 'share', 'mcp-workbench');
    await cp(installed(), cached, { recursive: true });
    await mkdir(join(user, '.cursor'));
    await mkdir(join(data, '0.0.1'), { recursive: true });
    await writeFile(join(data, '0.0.1', 'main.js'), '');
    const config = join(user, 'workbench-config.json');
    const mcpServers = { any: { command: 'node', args: ['x.js'] } };
    await writeFile(config, JSON.stringify({ toolboxes: { dev: { description: 'For tests', mcpServers } } }));
    const env = { ...getDefaultEnvironment(), HOME: user };
    const connect = (...args: string[]) =>
      run(
        process.execPath,
        [join(cached, 'dist', 'main.js'), 'connect', 'cursor', '--yes', '--config', config, ...args],
        {
          env,
          cwd: user,
        },
      );
    await connect();
    await rm(cache, { recursive: true });
    const { workbench } = JSON.parse(await readFile(join(user, '.cursor', 'mcp.json'), 'utf8')).mcpServers;
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(workbench.args).toEqual([join(data, version, 'main.js'), '--config', config]);
    // No entry names the old one.
    expect(await readdir(data)).toEqual([version]);
    const client = new Client({ name: 'package-test', version: '1.0.0' });
    const args = [...workbench.args, '--host-name', hostNameOfTest()];
    await client.connect(new StdioClientTransport({ ...workbench, args, env, cwd: user, stderr: 'ignore' }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['open_toolbox', 'use_tool']);
    // Calls load parts, which were copied, too.
    expect((await client.callTool({ name: 'open_toolbox', arguments: { toolbox: 'nope' } })).content).toMatchObject([
      { text: expect.stringContaining("Toolbox 'nope' not found") },
    ]);
    await client.close();
    const copied = await readdir(join(data, version));
    for (const ending of ['.browser.js', '.css', '.html', '.svg'])
      expect(copied.filter((name) => name.startsWith('page-') && name.endsWith(ending))).toHaveLength(1);
    const schema = await run(process.execPath, [join(data, version, 'main.js'), 'schema'], { env, cwd: user });
    expect(JSON.parse(schema.stdout)).toHaveProperty('properties.toolboxes');
  });

  test('writes an entry for others into a project only if they can install it', async () => {
    const project = join(home, 'project');
    const modules = join(home, 'published', 'node_modules');
    await mkdir(project);
    await cp(installed(), join(modules, 'mcp-workbench'), { recursive: true });
    const mcpServers = { any: { command: 'node', args: ['x.js'] } };
    await writeFile(
      join(project, 'workbench-config.json'),
      JSON.stringify({ toolboxes: { dev: { description: 'For tests', mcpServers } } }),
    );
    const connect = (script: string) =>
      run(process.execPath, [script, 'connect', 'cursor', '--project', '--yes', '--config', 'workbench-config.json'], {
        env: { ...getDefaultEnvironment(), HOME: join(home, 'user-of-project') },
        cwd: project,
      });
    // npm has noted that it comes from a file.
    await expect(connect(installed('dist', 'main.js'))).rejects.toThrow('others could not install');
    await connect(join(modules, 'mcp-workbench', 'dist', 'main.js'));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(JSON.parse(await readFile(join(project, '.cursor', 'mcp.json'), 'utf8'))).toEqual({
      mcpServers: {
        workbench: { command: 'npx', args: ['-y', `mcp-workbench@${version}`, '--config', 'workbench-config.json'] },
      },
    });
  });

  test('is a command that serves the embedded toolbox when nothing is configured', async () => {
    const empty = join(home, 'empty');
    await mkdir(empty, { recursive: true });
    const transport = new StdioClientTransport({
      command: join(home, 'node_modules', '.bin', process.platform === 'win32' ? 'mcp-workbench.cmd' : 'mcp-workbench'),
      args: ['--host-name', hostNameOfTest()],
      cwd: empty,
      env: { ...getDefaultEnvironment(), HOME: empty, XDG_CONFIG_HOME: empty, APPDATA: empty },
      stderr: 'ignore',
    });
    const client = new Client({ name: 'package-test', version: '1.0.0' });
    await client.connect(transport);
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['open_toolbox', 'use_tool']);
      const opened = parseOpened(await textOf(client, 'open_toolbox', { toolbox: 'getting-started' }));
      const echo = opened.tools.find(({ name }) => name === 'echo');
      expect(opened.servers_connected).toBe(1);
      const argument = Object.keys(echo?.inputSchema.properties ?? {})[0] ?? 'text';
      const tool = { toolbox: 'getting-started', server: echo?.server, name: 'echo' };
      expect(await textOf(client, 'use_tool', { tool, arguments: { [argument]: 'hello, package' } })).toContain(
        'hello, package',
      );
    } finally {
      await client.close();
    }
  });

  test('prints its version and its usage', async () => {
    const command = installed('dist', 'main.js');
    const version: unknown = JSON.parse(await readFile(installed('package.json'), 'utf8'));
    expect(version).toMatchObject({ version: (await run(process.execPath, [command, '--version'])).stdout.trim() });
    expect((await run(process.execPath, [command, '--help'])).stdout).toContain('--config');
  });

  test('is a library that starts nothing and does not keep the process alive', async () => {
    const file = join(home, 'import.mjs');
    await writeFile(file, importer);
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: home, timeout: 50_000 });
    expect(JSON.parse(stdout)).toEqual({
      kinds: {
        ToolIdentifierSchema: 'object',
        OpenToolboxInputSchema: 'object',
        UseToolInputSchema: 'object',
        loadConfig: 'function',
        createWorkbench: 'function',
        selectFrom: 'function',
      },
      identifier: { toolbox: 'a', server: 'b', name: 'c' },
      handles: [],
    });
    expect(stderr).toBe('');
  });

  test('has self-contained declarations: no zod, no SDK, no types of node', async () => {
    const folder = join(home, 'typed');
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await cp(installed(), join(folder, 'node_modules', 'mcp-workbench'), { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: consumerOptions, files: ['consumer.ts'] }),
    );
    await writeFile(join(folder, 'consumer.ts'), consumer);
    expect(await typeErrors(folder)).toBe('');

    await writeFile(
      join(folder, 'consumer.ts'),
      `${consumer}\nconst wrong: ToolIdentifier = { toolbox: 1 };\nvoid wrong;\n`,
    );
    expect(await typeErrors(folder)).toContain('TS2');
  });
});

const importer = `
import * as api from 'mcp-workbench';
const { ToolIdentifierSchema, OpenToolboxInputSchema, UseToolInputSchema, loadConfig, createWorkbench, selectFrom } = api;
const kinds = Object.fromEntries(Object.entries({ ToolIdentifierSchema, OpenToolboxInputSchema, UseToolInputSchema, loadConfig, createWorkbench, selectFrom }).map(([name, value]) => [name, typeof value]));
const identifier = ToolIdentifierSchema.parse({ toolbox: 'a', server: 'b', name: 'c' });
const openHandles = () => process.getActiveResourcesInfo().filter((kind) => !/^(TTY|Pipe)Wrap$/.test(kind));
const before = performance.now();
// Loading the modules closes its files in between.
do await new Promise((resolve) => setTimeout(resolve, 50)); while (openHandles().length > 0 && performance.now() - before < 10_000);
const handles = openHandles();
console.log(JSON.stringify({ kinds, identifier, handles }));
`;

const consumerOptions = {
  strict: true,
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  types: [],
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

const consumer = `
import { createWorkbench, loadConfig, OpenToolboxInputSchema, selectFrom, ToolIdentifierSchema, UseToolInputSchema } from 'mcp-workbench';
import type { OpenToolboxResult, ToolIdentifier, ToolInfo } from 'mcp-workbench';

const identifier: ToolIdentifier = { toolbox: 'dev', server: 'filesystem', name: 'read_file' };
const parsed: ToolIdentifier = ToolIdentifierSchema.parse(identifier);
const input: { toolbox: string } = OpenToolboxInputSchema.parse({ toolbox: 'dev' });
const call: { tool: ToolIdentifier } = UseToolInputSchema.parse({ tool: parsed });

export async function main(): Promise<string[]> {
  const workbench = createWorkbench(loadConfig({ path: 'workbench-config.json', env: {}, cwd: '/' }));
  const opened: OpenToolboxResult = await workbench.openToolbox(input.toolbox);
  const tools: ToolInfo[] = opened.tools;
  const first: unknown = selectFrom(await workbench.useTool(call.tool, { path: 'README.md' }), '[0]');
  void first;
  await workbench.useTool(identifier);
  await workbench.close();
  return tools.map((tool) => tool.server + tool.name);
}
`;

function allowed(path: string): boolean {
  if (/\.(map|tmp)$|\.test\./.test(path)) return false;
  return (
    /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md|(dist|schema)\/.+|docs\/[\w-]+\.md)$/.test(path) &&
    (!path.endsWith('.ts') || path.endsWith('.d.ts'))
  );
}

async function modulesIn(folder: string): Promise<string[]> {
  return (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'));
}

async function typeErrors(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    return (await run(process.execPath, [tsc, '--project', folder], { cwd: folder })).stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

async function textOf(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [block] = content;
  if (isError === true || block?.type !== 'text') throw new Error(`${name} failed: ${JSON.stringify(content)}`);
  return block.text;
}

function parseOpened(text: string): OpenToolboxResult {
  return JSON.parse(text) as OpenToolboxResult;
}

/** `npm pack --json` prints an array or, in later releases, an object by package name. */
function firstOf(report: unknown): Packed {
  const [first] = Object.values(report as Record<string, Packed>);
  if (!first) throw new Error('npm pack reported nothing');
  return first;
}
