import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { type LaunchOptions, prepareLaunch, stopWhenTestFinishes, temporaryDirectory } from '../support/launch.js';
import { startHttpServer } from '../support/loopback.js';
import { until } from '../support/until.js';

// The package is replaced while a workbench runs from it. Parts that are not loaded yet are then of the new version.

type Files = readonly (readonly [name: string, text: string])[];
interface BuildScripts {
  readonly bundle: (options: { minify: boolean; version?: string }) => Promise<{ files: Files }>;
  readonly writeFolder: (folder: string, files: Files) => Promise<void>;
}

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

async function buildScripts(): Promise<BuildScripts> {
  const load = (name: string) => import(new URL(`../../scripts/${name}`, import.meta.url).href);
  return { ...(await load('bundle.mjs')), ...(await load('write-folder.mjs')) };
}

const partsAmong = (names: readonly string[]) => names.filter((name) => /-[0-9a-f]{8}\.js$/.test(name)).toSorted();

async function filesOf(version?: string): Promise<Files> {
  const { bundle } = await buildScripts();
  return (await bundle({ minify: true, ...(version === undefined ? {} : { version }) })).files;
}

let made: Promise<Files> | undefined;
/** Those of another version. Made once: it takes seconds. */
function otherFiles(): Promise<Files> {
  made ??= filesOf('99.0.0');
  return made;
}

test('parts have the same names for the same sources, and other names in another version', async () => {
  const built = partsAmong(readdirSync(dist));
  expect(built.length).toBeGreaterThan(3);
  expect(partsAmong((await filesOf()).map(([name]) => name))).toEqual(built);
  const others = partsAmong((await otherFiles()).map(([name]) => name));
  expect(others).toHaveLength(built.length);
  expect(others.filter((name) => built.includes(name))).toEqual([]);
});

/** A workbench that runs from a copy of the package, after its handshake. */
async function runningCopy(options: LaunchOptions) {
  const folder = join(temporaryDirectory(), 'dist');
  cpSync(dist, folder, { recursive: true });
  const { args, env, cwd, marker } = prepareLaunch(options);
  const [, ...own] = args;
  const child = spawn(process.execPath, [join(folder, 'main.js'), ...own], {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  stopWhenTestFinishes(marker, async () => void child.stdin.end());
  const output: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answerTo = (id: number) =>
    until(() =>
      output
        .join('')
        .split('\n')
        .find((line) => line.endsWith('}') && line.includes(`"id":${id}`)),
    );
  const clientInfo = { name: 'raw', version: '1.0.0' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  await answerTo(1);
  const open = (id: number, toolbox: string) =>
    send({ id, method: 'tools/call', params: { name: 'open_toolbox', arguments: { toolbox } } });
  const end = async () => {
    child.stdin.end();
    return (await once(child, 'close'))[0];
  };
  return { folder, send, open, answerTo, end };
}

test('after an update under a running workbench a call fails with the advice to restart the client, and nothing else fails', async () => {
  const { folder, send, open, answerTo, end } = await runningCopy({});
  const { writeFolder } = await buildScripts();
  await writeFolder(folder, await otherFiles());
  open(2, 'getting-started');
  send({ id: 3, method: 'ping' });
  expect(await answerTo(2)).toContain('restart the client');
  expect(await answerTo(3)).toContain('"result":{}');
  expect(await end()).toBe(0);
});

test('after an update a server with a url is unavailable with the same advice if only the part for HTTP cannot be loaded', async () => {
  const remote = await startHttpServer((response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  const { folder, open, answerTo, end } = await runningCopy({
    config: devToolbox({ linear: { url: `http://127.0.0.1:${remote.port}/mcp` } }),
  });
  for (const name of readdirSync(folder)) if (name.startsWith('http-')) rmSync(join(folder, name));
  for (const id of [2, 3]) {
    open(id, 'dev');
    expect(await answerTo(id)).toContain('restart the client');
  }
  expect(await end()).toBe(0);
});
