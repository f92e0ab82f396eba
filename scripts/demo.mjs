// Prints a complete session as a transcript: a real client, the built program, three real servers. Runs offline, in seconds.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isRunning, processesBelow } from './processes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist', 'main.js');
const limitMs = 60_000;

const style = (format, text) => (process.stdout.isTTY ? styleText(format, text) : text);
const print = (text = '') => process.stdout.write(`${text}\n`);
const step = (text) => print(`\n${style(['bold', 'cyan'], `▸ ${text}`)}\n`);
const indent = (text) => text.replaceAll(/^(?=.)/gm, '    ');
const clip = (text, width = 108) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
const seen = new Set();
let stderr = '';
let failed = 0;

setTimeout(() => fail(`The demo did not end within ${limitMs / 1000} s.`), limitMs).unref();
const folder = await mkdtemp(join(tmpdir(), 'mcp-workbench-demo-'));
try {
  await demo();
} catch (error) {
  failed++;
  print(style('red', `✘ ${error instanceof Error ? error.message : String(error)}`));
  if (stderr) print(`stderr of the program:\n${indent(stderr)}`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
print(failed === 0 ? style('green', '\n✔ Everything worked.') : style('red', `\n✘ ${failed} check(s) failed.`));
process.exitCode = failed === 0 ? 0 : 1;

async function demo() {
  if (!existsSync(program)) execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' });
  const configFile = await writeConfiguration();

  print(style('bold', 'MCP Workbench from end to end: a real client, the built program, three real servers.'));
  step('A client connects. Three servers are configured, none is started.');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, '--config', configFile],
    cwd: folder,
    stderr: 'pipe',
    // At its end everything that it started is to be gone, at once.
    env: { ...getDefaultEnvironment(), WORKBENCH_SHARED: '0' },
  });
  transport.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const client = new Client({ name: 'demo', version: '1.0.0' });
  await client.connect(transport);
  const workbench = transport.pid;
  try {
    const { tools } = await client.listTools();
    print(`The agent sees ${tools.length} tools: ${style('bold', tools.map((tool) => tool.name).join(', '))}`);
    check(tools.length === 2, 'there are exactly two tools');
    print('and reads these instructions:\n');
    print(style('dim', indent(client.getInstructions() ?? '(none)')));
    check([0, undefined].includes(showRunning(workbench)), 'no server runs before the first call');
    await openNotes(client, workbench);
    await useEveryServer(client, workbench);
  } finally {
    step('The client disconnects.');
    await client.close();
  }
  await showNoneLeft(workbench);
}

async function writeConfiguration() {
  const server = (name, ...args) => ({
    command: 'node',
    args: [join(root, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js'), ...args],
  });
  await writeFile(join(folder, 'shopping.txt'), 'flour\nbutter\nthree eggs\n');
  const config = {
    toolboxes: {
      notes: {
        description: 'Files and a memory for notes',
        mcpServers: {
          filesystem: { ...server('filesystem', folder), toolFilters: ['read_text_file', 'list_*'] },
          memory: { ...server('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
        },
      },
      playground: {
        description: 'One tool for every feature of the protocol',
        mcpServers: { everything: server('everything') },
      },
    },
  };
  const file = join(folder, 'workbench-config.json');
  await writeFile(file, JSON.stringify(config, undefined, 2));
  return file;
}

async function openNotes(client, workbench) {
  step('The agent opens the toolbox it needs.');
  const startedAt = performance.now();
  const { text, isError } = await call(client, 'open_toolbox', { toolbox: 'notes' });
  if (isError) throw new Error(text);
  const opened = JSON.parse(text);
  print(
    `${opened.servers_connected} servers connected in ${Math.round(performance.now() - startedAt)} ms, ${opened.tools.length} tools with their schemas:\n`,
  );
  for (const [server, tools] of groupByServer(opened.tools))
    print(indent(`${server.padEnd(12)}${style('dim', clip(tools.join(', '), 96))}`));
  check(opened.servers_connected === 2, 'both servers of the toolbox answer');
  check([2, undefined].includes(showRunning(workbench)), 'these two run now, and no other');
}

async function useEveryServer(client, workbench) {
  step('It uses a tool of each server. The last toolbox was never opened: the call starts its server.');
  const ada = { name: 'Ada', entityType: 'person', observations: ['likes cake'] };
  await use(
    client,
    { toolbox: 'notes', server: 'filesystem', name: 'read_text_file' },
    { path: join(folder, 'shopping.txt') },
    'flour',
  );
  await use(client, { toolbox: 'notes', server: 'memory', name: 'create_entities' }, { entities: [ada] }, 'Ada');
  await use(client, { toolbox: 'playground', server: 'everything', name: 'get-sum' }, { a: 19, b: 23 }, '42');
  check([3, undefined].includes(showRunning(workbench)), 'all three run now');
}

async function use(client, tool, args, expected) {
  const { text, isError } = await call(client, 'use_tool', { tool, arguments: args });
  print(`${indent(style('green', clip(text.replaceAll(/\s+/g, ' '))))}\n`);
  check(!isError && text.includes(expected), `${tool.server} answers '${expected}'`);
}

async function call(client, name, args) {
  print(`${style('bold', name)} ${JSON.stringify(args).replaceAll(folder, '…')}`);
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');
  return { text, isError: isError === true };
}

function groupByServer(tools) {
  const groups = new Map();
  for (const { server, name } of tools) groups.set(server, [...(groups.get(server) ?? []), name]);
  return groups;
}

/** Prints the processes. Returns how many of them are servers. */
function showRunning(workbench) {
  const running = processesBelow(workbench);
  if (!running) {
    print('\nRunning behind the workbench: (not shown on this system)');
    return undefined;
  }
  print(`\nRunning behind the workbench:${running.length === 0 ? ' nothing' : ''}`);
  for (const { pid, command } of running) {
    seen.add(pid);
    print(indent(`${String(pid).padEnd(9)}${style('dim', clip(describe(command), 96))}`));
  }
  return running.filter(({ command }) => command.includes('@modelcontextprotocol')).length;
}

function describe(command) {
  if (command.startsWith('/bin/sh')) return 'sh (the watchdog: ends the servers if the workbench is killed)';
  return command.replaceAll(folder, '…').replaceAll(root, '').replaceAll(/\s+/g, ' ');
}

async function showNoneLeft(workbench) {
  const left = () => [workbench, ...seen].filter(isRunning);
  for (let waited = 0; left().length > 0 && waited < 5000; waited += 50)
    await new Promise((resolve) => setTimeout(resolve, 50));
  print(
    left().length === 0
      ? 'The workbench and every process it started have ended.'
      : `Still running: ${left().join(', ')}`,
  );
  check(left().length === 0, 'nothing is left running');
}

function check(holds, statement) {
  if (holds) return;
  failed++;
  print(style('red', `✘ expected: ${statement}`));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
