// Takes the pictures of the page in docs/images/ from real sessions: three clients, the built program, real servers, Debian's Chromium.
//   node scripts/page-pictures.mjs [--seconds 200]             docs/images/board-light.png and board-dark.png
//   node scripts/page-pictures.mjs --all DIR [--seconds 20]    every view at three widths, to look at
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { installApart } from './install-apart.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist', 'main.js');
const images = join(root, 'docs', 'images');
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '200' }, all: { type: 'string' } } });
const seconds = Number(values.seconds);
const views = ['board', 'tools', 'calls', 'search', 'approvals'];
const widths = [1280, 768, 390];
const hostName = `pictures-${process.pid}`;

execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' });
installApart(join(root, 'test', 'system'));
const { launchChromium } = await import('../test/system/chromium.mjs');

const home = await mkdtemp(join(tmpdir(), 'mcp-workbench-pictures-'));
const env = { ...getDefaultEnvironment(), HOME: home, LANG: 'C.UTF-8' };
const config = join(home, '.config', 'mcp-workbench', 'workbench-config.json');
const notes = join(home, 'notes');
/** The same calls at every run; some fail, as they do. */
const calls = [
  [['dev', 'filesystem', 'list_directory'], { path: home }],
  [['notes', 'everything', 'get-sum'], { a: 19, b: 23 }],
  [['dev', 'filesystem', 'read_text_file'], { path: config }],
  [['notes', 'files', 'write_file'], { path: join(notes, 'todo.md'), content: '- water the plants' }],
  [['dev', 'filesystem', 'directory_tree'], { path: home }],
  [['notes', 'memory', 'create_entities'], { entities: [{ name: 'Ada', entityType: 'person', observations: ['x'] }] }],
  [['notes', 'everything', 'trigger-long-running-operation'], { duration: 2, steps: 2 }],
  [['dev', 'filesystem', 'read_text_file'], { path: join(home, 'missing.txt') }],
  [['notes', 'memory', 'read_graph'], {}],
  [['dev', 'filesystem', 'search_files'], { path: home, pattern: '*.json' }],
  [['notes', 'files', 'read_text_file'], { path: join(notes, 'todo.md') }],
];
const login = createServer((_, response) => void response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end());
login.listen(0, '127.0.0.1');
await once(login, 'listening');
const open = [() => login.close()];
try {
  for (const directory of [dirname(config), notes]) mkdirSync(directory, { recursive: true });
  await writeFile(config, JSON.stringify(configuration(login.address().port), undefined, 2));
  await workAndLook();
} finally {
  for (const close of open.toReversed()) await close();
  execFileSync(process.execPath, [program, 'stop', '--host-name', hostName], { env, cwd: home, stdio: 'ignore' });
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}

function configuration(port) {
  const installed = (name, ...args) => ({
    command: process.execPath,
    args: [join(root, 'node_modules', name, 'dist', 'index.js'), ...args],
  });
  const official = (name, ...args) => installed(`@modelcontextprotocol/server-${name}`, ...args);
  const unreachable = `require('node:net').connect(5432, '127.0.0.1').on('error', (e) => { console.error(e.message); process.exit(1); })`;
  return {
    toolboxes: {
      dev: {
        description: 'Code, issues and documentation',
        mcpServers: {
          github: { ...official('github'), idleTimeoutMs: 30_000 },
          filesystem: official('filesystem', home),
          context7: { ...installed('@upstash/context7-mcp'), idleTimeoutMs: 20_000 },
          linear: { url: `http://127.0.0.1:${port}/mcp` },
        },
      },
      data: {
        description: 'Databases, read only',
        mcpServers: { postgres: { command: process.execPath, args: ['-e', unreachable] }, sqlite: { command: 'uvx' } },
      },
      notes: {
        description: 'Notes, a memory, and one tool for every feature of the protocol',
        mcpServers: {
          files: { ...official('filesystem', notes), idleTimeoutMs: 15_000 },
          memory: {
            ...official('memory'),
            env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
            idleTimeoutMs: 8_000,
          },
          everything: official('everything'),
        },
      },
    },
  };
}

async function workAndLook() {
  const [one, two, three] = await Promise.all(['claude-code', 'claude-code', 'cursor-vscode'].map(connect));
  const address = await startPage();
  await one.callTool({ name: 'open_toolbox', arguments: { toolbox: 'notes' } });
  await use(two, ['data', 'postgres', 'query']);
  await one.callTool({ name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  await changeLock();
  const until = performance.now() + seconds * 1_000;
  await Promise.all([work(one, until, 0), work(two, until, 3), work(three, until, 6)]);
  await look(address);
}

async function connect(name) {
  const args = [program, '--host-name', hostName];
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home, stderr: 'ignore' }));
  open.push(() => client.close());
  return client;
}

async function startPage() {
  const args = [program, 'page', '--no-browser', '--host-name', hostName];
  const page = spawn(process.execPath, args, { env, cwd: home, stdio: ['ignore', 'pipe', 'ignore'] });
  open.push(() => page.kill('SIGINT'));
  const [address] = await once(page.stdout.setEncoding('utf8'), 'data');
  return address.trim();
}

function use(client, [toolbox, server, name], args = {}) {
  return client.callTool({ name: 'use_tool', arguments: { tool: { toolbox, server, name }, arguments: args } });
}

async function work(client, until, first) {
  const rare = [['dev', 'github', 'create_issue'], { owner: 'me' }];
  for (let turn = first; performance.now() < until; turn++) {
    await use(client, ...(turn % 19 === 18 ? rare : calls[(turn * 7) % calls.length]));
    await wait(600 + ((turn * 977) % 3_400));
    // A pause in which servers fall asleep.
    if (turn % 17 === 16) await wait(Math.min(12_000, Math.max(0, until - performance.now())));
  }
}

/** As if the server had described its tool differently when it was approved. */
async function changeLock() {
  const file = config.replace(/json$/, 'lock.json');
  const isTool = (one) => one.tool.name === 'create_issue';
  for (let tries = 0; tries < 100; tries++) {
    const { servers } = JSON.parse(await readFile(file, 'utf8').catch(() => '{"servers":[]}'));
    const locked = servers.flatMap(({ tools }) => tools).find(isTool);
    if (locked !== undefined) {
      locked.sha256 = '';
      locked.tool.description = 'Open an issue';
      return writeFile(file, JSON.stringify({ version: 1, servers }, undefined, 2));
    }
    await wait(100);
  }
  throw new Error(`there is no such tool in ${file}`);
}

async function look(address) {
  const chromium = await launchChromium();
  open.push(() => chromium.close());
  for (const scheme of ['light', 'dark'])
    if (values.all === undefined) await lookAtBoard(chromium, address, scheme);
    else for (const width of widths) await lookAtAll(chromium, address, scheme, width);
}

async function lookAtBoard(chromium, address, scheme) {
  const opened = await openPage(chromium, address, { scheme, width: 1280, height: 800 });
  mkdirSync(images, { recursive: true });
  await opened.page.screenshot({ path: join(images, `board-${scheme}.png`) });
  await opened.close();
}

async function lookAtAll(chromium, address, scheme, width) {
  const opened = await openPage(chromium, address, { scheme, width, height: 900 });
  const { page } = opened;
  const take = (name, fullPage = true) =>
    page.screenshot({ path: join(values.all, `${name}-${scheme}-${width}.png`), fullPage });
  const details = page.getByRole('button', { name: 'filesystem', exact: true });
  mkdirSync(values.all, { recursive: true });
  for (const view of views) {
    await page.evaluate(`location.hash = '${view}'`);
    if (view === 'search') await page.getByLabel('Query').fill('create an issue');
    await wait(1_000);
    if (view === 'calls') await page.locator('.opens').first().click();
    await take(view, view !== 'tools');
    if (view !== 'board') continue;
    await details.click();
    await wait(1_000);
    await take('details');
    await details.click();
  }
  await opened.close();
}

/** With the memory of the servers, which is measured every two seconds. */
async function openPage(chromium, address, options) {
  const opened = await chromium.open(address, options);
  await opened.page.locator('.lane').first().waitFor();
  await wait(2_500);
  return opened;
}
