import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, test } from 'vitest';
import type { Config, ServerConfig } from '../src/config/config.js';
import { resolveHttp } from '../src/config/http/resolve-http.js';
import { readConfiguration } from '../src/config/read/configuration.js';
import type { OpenToolboxResult } from '../src/contract/types.js';
import { silentLog } from '../src/platform/log.js';
import { hostNameOfTest } from './support/hosts.js';
import { posixOnly } from './support/platform.js';

// Every example configuration is loaded and run by the built program.
const root = fileURLToPath(new URL('..', import.meta.url));
const shown = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.jsonc'));

// `npx -y <package>` finds a package that is installed in the working directory. With this home it uses no registry.
const home = mkdtempSync(join(tmpdir(), 'mcp-workbench-examples-'));
writeFileSync(join(home, '.npmrc'), 'offline=true\nupdate-notifier=false\n');

// Copied, because a checkout does not keep env files private.
const copies = join(home, 'examples');
cpSync(join(root, 'examples'), copies, { recursive: true });
for (const name of readdirSync(copies)) if (name.endsWith('.env')) chmodSync(join(copies, name), 0o600);
const files = [...shown.map((name) => join(copies, name)), join(root, 'workbench-config.test.json')];

// Stand-ins for programs that print secrets. They print only if they are called as their manuals say.
const programs = {
  aws: ['secretsmanager get-secret-value --secret-id github --query SecretString --output text', '{"TOKEN":"a"}'],
  op: ['inject --in-file 1password.tpl', 'TOKEN=a'],
  sops: ['decrypt --output-type dotenv secrets.sops.yaml', 'TOKEN=a'],
  direnv: ['export json', '{"TOKEN":"a","OLDPWD":null}'],
};
const bin = join(home, 'bin');
mkdirSync(bin);
for (const [name, [args, output]] of Object.entries(programs)) {
  const script = `#!/bin/sh\n[ "$*" = '${args}' ] || { echo "called with $*" >&2; exit 1; }\necho '${output}'\n`;
  writeFileSync(join(bin, name), script, { mode: 0o755 });
}
const inherited = getDefaultEnvironment();
const searched = [bin, inherited['PATH'] ?? ''].join(delimiter);
const homes = { HOME: home, USERPROFILE: home, TMPDIR: home };
const env = { ...inherited, ...homes, PATH: searched, TRACKER_TOKEN: 'secret' };
const { loadConfig }: { loadConfig: (options: object) => Config } = await import(
  pathToFileURL(join(root, 'dist', 'index.mjs')).href
);

// What npx finds in a working directory has to be trusted.
execFileSync(process.execPath, [join(root, 'dist', 'main.js'), 'trust', root, '--yes'], { env, stdio: 'ignore' });

afterAll(() => rmSync(home, { recursive: true, force: true }));

test('there are examples', () => {
  expect(shown.length).toBeGreaterThanOrEqual(9);
});

describe.each(files.map((file) => [basename(file), file] as const))('%s', (_, file) => {
  const config = loadConfig({ path: file, env, cwd: root });
  const toolboxes = [...config.toolboxes.values()].filter(({ servers }) => [...servers.values()].some(isInstalled));

  test('has no faults and gives no warnings', () => {
    const servers = [...config.toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
    expect(config.warnings).toEqual([]);
    expect(servers.filter((server) => reasonOf(server) !== undefined && !isOfUsers(server))).toEqual([]);
  });

  test('can be used by every user of a service, if it names users', async () => {
    const service = { env: { ...env, OIDC_SECRET: 'secret' }, cwd: root, home };
    const found = await readConfiguration({ path: file, text: readFileSync(file, 'utf8') }, service, silentLog);
    const isForUsers = [...config.toolboxes.values()].some((box) => [...box.servers.values()].some(isOfUsers));
    const { auth } = await resolveHttp(found, service, { warn() {} });
    expect(auth !== undefined).toBe(isForUsers);
    const claims = new Map((auth?.claims ?? []).map((claim) => [claim, 'text']));
    const directory = join(home, 'users', 'ada');
    const user = { key: 'ada', directory, issuer: auth?.issuer ?? '', subject: 'ada', claims };
    const { toolboxes: ofUser } = await found.forUser(user, { cwd: join(directory, 'work'), home: directory }).load();
    const servers = [...ofUser.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
    expect(servers.map(reasonOf).filter((reason) => reason !== undefined)).toEqual([]);
  });

  test('opens with its real servers', { timeout: 60_000 }, async () => {
    const servers = toolboxes.flatMap((toolbox) => [...toolbox.servers.values()]);
    if (servers.some(({ target }) => target.kind === 'late')) posixOnly('the stand-ins are shell scripts');
    expect(toolboxes.length).toBeGreaterThan(0);
    const client = await connect(file);
    try {
      const opened = await Promise.all(toolboxes.map(({ name }) => open(client, name)));
      for (const [index, { servers: expected }] of toolboxes.entries()) {
        expect(opened[index]?.unavailable ?? []).toEqual([]);
        expect(new Set(opened[index]?.tools.map(({ server }) => server))).toEqual(new Set(expected.keys()));
      }
    } finally {
      await client.close();
    }
  });
});

function reasonOf({ target }: ServerConfig): string | undefined {
  return target.kind === 'broken' ? target.reason : undefined;
}

/** Whether the server is one that only agents over HTTP have. */
function isOfUsers(server: ServerConfig): boolean {
  return reasonOf(server)?.startsWith('It is set up for each user (') === true;
}

/** Whether the server is one of the development dependencies, so that it can be started here. */
function isInstalled({ target }: ServerConfig): boolean {
  const known = target.kind === 'late' ? target.draft : target;
  return known.kind === 'stdio' && known.args.some((argument) => argument.includes('@modelcontextprotocol/server-'));
}

async function connect(file: string): Promise<Client> {
  const client = new Client({ name: 'examples-test', version: '1.0.0' });
  const args = [join(root, 'dist', 'main.js'), '--config', file, '--host-name', hostNameOfTest()];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, env, stderr: 'ignore' }));
  return client;
}

async function open(client: Client, toolbox: string): Promise<OpenToolboxResult> {
  const { content } = await client.callTool({ name: 'open_toolbox', arguments: { toolbox } });
  const [block] = content;
  if (block?.type !== 'text') throw new Error('open_toolbox answers with one text block');
  return JSON.parse(block.text) as OpenToolboxResult;
}
