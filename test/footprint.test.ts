import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isRecord } from '../src/jsonrpc/json.js';
import { runCommand } from './support/commands.js';
import { writeConfig } from './support/configs.js';
import { createHome } from './support/homes.js';
import { startCanary } from './support/http-servers.js';
import { type LaunchOptions, prepareLaunch, stopWhenTestFinishes, temporaryDirectory } from './support/launch.js';
import { posixOnly } from './support/platform.js';
import { fixture } from './support/servers.js';
import { until } from './support/until.js';
import { modern } from './support/workbench.js';

// The cost of the program in counts, which are the same on every machine, however busy. Times are in docs/internals/performance.md.

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const counter = fileURLToPath(new URL('./fixtures/count-work.mjs', import.meta.url));
const config = { toolboxes: { dev: { description: 'For tests', mcpServers: { any: fixture() } } } };
const use = (name: string, args: object = {}) => ({
  name: 'use_tool',
  arguments: { tool: { toolbox: 'dev', server: 'any', name }, arguments: args },
});
const handshake = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1.0.0' },
};

interface Run {
  /** Files of the program that were loaded. */
  readonly files: readonly string[];
  readonly counts: { readonly [what: string]: number };
}

/** Runs the program with messages, each sent after all previous responses. Returns what that took. */
async function run(
  messages: readonly { readonly id?: number; readonly [key: string]: unknown }[],
  launch: LaunchOptions = { config, alone: true },
): Promise<Run> {
  const { command, args, env, cwd, dir, marker } = prepareLaunch(launch);
  const coverage = join(dir, 'coverage');
  const counts = join(dir, 'counts.json');
  const child = spawn(command, ['--import', counter, ...args], {
    env: { ...env, NODE_V8_COVERAGE: coverage, COUNT_WORK_TO: counts },
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  stopWhenTestFinishes(marker, async () => void child.stdin.end());
  const closed = once(child, 'close');
  const answered = new Set<unknown>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: unknown = JSON.parse(line);
    if (isRecord(message)) answered.add(message['id']);
  });
  const lines = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const isAnswered = ({ id }: { id?: number }) => id === undefined || answered.has(id);
  for (const [index, message] of messages.entries()) {
    child.stdin.write(lines[index] ?? '');
    await until(() => isAnswered(message));
  }
  child.stdin.end();
  await closed;
  return { files: loadedFiles(coverage), counts: JSON.parse(readFileSync(counts, 'utf8')) };
}

function loadedFiles(coverage: string): string[] {
  const reports = readdirSync(coverage).map((name): unknown => JSON.parse(readFileSync(join(coverage, name), 'utf8')));
  const urls = reports.flatMap((report) =>
    isRecord(report) && Array.isArray(report['result']) ? report['result'].map((script) => String(script.url)) : [],
  );
  const ours = urls.filter((url) => url.startsWith('file:') && fileURLToPath(url).startsWith(dist));
  return [...new Set(ours.map((url) => withoutHash(basename(url))))].toSorted();
}

/** Without the file that a timer loads, a second after the start: on a busy machine also in runs that are over in less on others. */
function atStart({ files }: Run): string[] {
  return files.filter((file) => file !== 'configuration.js');
}

/** Without the file that is loaded when the answer to the first call is out. */
function beforeAnswer(done: Run): string[] {
  return atStart(done).filter((file) => file !== 'engine-later.js');
}

/** The names of parts contain a hash of all parts. */
function withoutHash(file: string): string {
  return file.replace(/-[0-9a-f]{8}\.js$/, '.js');
}

const opening = [
  { id: 1, method: 'initialize', params: handshake },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list', params: {} },
  { id: 3, method: 'ping' },
  { id: 4, method: 'resources/list', params: {} },
];

describe('only what is needed is loaded', () => {
  test('one file to answer the first requests of clients', async () => {
    const opened = await run(opening);
    expect(atStart(opened)).toEqual(['main.js']);
    // Of Node's own modules it takes longest.
    expect(opened.counts['cryptoBeforeFirstWrite']).toBe(0);
    const modernOpening = ['server/discover', 'tools/list'].map((method, id) => ({ id, method, params: modern() }));
    expect(atStart(await run(modernOpening))).toEqual(['main.js']);
  });

  test('also if the configuration has comments; the schema only if there is something to report about it', async () => {
    const commented = JSON.stringify(config, undefined, 1)
      .replaceAll('\n', ' // why\n')
      .replace(/\}\s*\/\/ why\s*\}$/, '},}');
    expect(atStart(await run(opening, { configText: commented }))).toEqual(['main.js']);
    const unknownKey = JSON.stringify({ ...config, toolbocks: {} });
    expect(atStart(await run(opening, { configText: unknownKey }))).toEqual(['config-reader.js', 'main.js']);
  });

  test('one more if there is a configuration in the working directory, or if others may be able to change the one in use', async () => {
    const cwd = temporaryDirectory();
    writeConfig(cwd, config);
    expect((await run(opening, { cwd })).files).toEqual(['configuration.js', 'main.js']);
    chmodSync(cwd, 0o1777);
    const named = { args: ['--config', join(cwd, 'workbench-config.json')] };
    if (process.platform !== 'win32')
      expect((await run(opening, named)).files).toEqual(['configuration.js', 'main.js']);
  });

  test('one more to call and to list tools through a host', async () => {
    posixOnly('has hosts');
    const call = { id: 5, method: 'tools/call', params: use('echo') };
    const open = { id: 6, method: 'tools/call', params: { name: 'open_toolbox', arguments: { toolbox: 'dev' } } };
    expect(atStart(await run([...opening, call, open], { config }))).toEqual(['main.js', 'relay.js']);
  });

  test('alone, one more to call tools in either era, and another one to list them', async () => {
    const call = { id: 5, method: 'tools/call', params: use('echo') };
    expect(beforeAnswer(await run([...opening, call]))).toEqual(['engine.js', 'main.js']);
    const open = { id: 6, method: 'tools/call', params: { name: 'open_toolbox', arguments: { toolbox: 'dev' } } };
    expect(atStart(await run([...opening, call, open]))).toEqual(['engine-later.js', 'engine.js', 'main.js']);
    const modernCall = { id: 1, method: 'tools/call', params: modern(use('echo')) };
    expect(beforeAnswer(await run([modernCall]))).toEqual(['engine.js', 'main.js']);
  });

  test('alone, the part of HTTP for a server with a url, and for no other', async () => {
    const canary = await startCanary();
    const remote = { description: 'Remote', mcpServers: { any: { url: canary.url } } };
    const both = { config: { toolboxes: { ...config.toolboxes, remote } }, alone: true };
    const call = { id: 5, method: 'tools/call', params: use('echo') };
    expect(beforeAnswer(await run([...opening, call], both))).toEqual(['engine.js', 'main.js']);
    expect(canary.connections()).toBe(0);
    const open = { id: 6, method: 'tools/call', params: { name: 'open_toolbox', arguments: { toolbox: 'remote' } } };
    expect((await run([...opening, open], both)).files).toContain('http.js');
    const tool = { toolbox: 'remote', server: 'any', name: 'echo' };
    const useRemote = { id: 7, method: 'tools/call', params: { name: 'use_tool', arguments: { tool } } };
    expect(beforeAnswer(await run([...opening, useRemote], both))).toEqual(['engine.js', 'http.js', 'main.js']);
  });

  test('nothing more for unusual requests: unknown methods, a second handshake, both eras in one connection', async () => {
    const unusual = [
      { id: 5, method: 'prompts/list', params: {} },
      { id: 6, method: 'initialize', params: handshake },
      { id: 7, method: 'initialize', params: {} },
      { id: 8, method: 'tools/list', params: modern() },
    ];
    expect(atStart(await run([...opening, ...unusual]))).toEqual(['main.js']);
  });
});

describe('commands that start nothing load neither the engine nor the schema', () => {
  test.each([
    [['--version'], []],
    [['validate'], ['commands-see.js']],
    [['list'], ['commands-see.js']],
    [['--json'], ['commands-see.js']],
    [['logs'], ['commands-see.js']],
    [['completion', 'bash', '--candidates', '--', 'mcp-workbench tools '], []],
  ])('%j', async (args, parts) => {
    const home = createHome(config);
    const coverage = temporaryDirectory();
    const { code } = await runCommand(args, { env: { ...home.env, NODE_V8_COVERAGE: coverage } });
    expect(code).toBe(0);
    expect(loadedFiles(coverage)).toEqual([...parts, 'commands.js', 'main.js'].toSorted());
    // Nothing of these is in them either.
    for (const part of ['commands.js', ...parts]) expect(zodOrSdkIn(part), part).toBe(false);
  });
});

/** Whether a part has code that only zod and the SDK have. */
function zodOrSdkIn(part: string): boolean {
  const file = readdirSync(dist).find((name) => withoutHash(name) === part) ?? '';
  return /\$Zod|jsonrpc:"2\.0"|StreamableHTTP/.test(readFileSync(join(dist, file), 'utf8'));
}

// What was measured when they were last set, and 5 %.
test.each([
  ['main.js', 50_400],
  ['relay.js', 30_600],
  ['host.js', 41_500],
  ['engine.js', 211_000],
])('%s has no more than %i bytes, and no character for which V8 would need two bytes for each', (file, most) => {
  const names = readdirSync(dist).filter((name) => withoutHash(name) === file);
  expect(names).toHaveLength(1);
  for (const bytes of names.map((name) => readFileSync(join(dist, name)))) {
    expect(bytes.length).toBeLessThanOrEqual(most);
    // Those in regular expressions are not escaped by the bundler.
    expect(/.{0,40}[^\0-\x7F].{0,40}/.exec(bytes.toString('utf8'))?.[0]).toBeUndefined();
  }
});

test('the page loads nothing from elsewhere', () => {
  const files = readdirSync(dist).filter((name) => /^page-[0-9a-f]{8}\./.test(name));
  expect(files.map((name) => name.split('.').slice(1).join('.')).toSorted()).toEqual([
    'browser.js',
    'css',
    'html',
    'svg',
  ]);
  const texts = files.map((name) => readFileSync(join(dist, name), 'utf8'));
  expect(texts.join('').match(/https?:\/\/(?!www\.w3\.org\/)[^'"\s)]+/g)).toBeNull();
});

describe('a call of a session that runs alone', () => {
  const many = 100;
  const callsOf = (params: object) =>
    Array.from({ length: many }, (_, index) => ({ id: 100 + index, method: 'tools/call', params }));
  // All that calls may load is loaded.
  const open = { name: 'open_toolbox', arguments: { toolbox: 'dev' } };
  const warm = [...opening, ...[open, use('echo')].map((params, id) => ({ id: 5 + id, method: 'tools/call', params }))];

  /** The work of one call: that of many calls, less that without calls. */
  async function perCall(params: object): Promise<(what: string) => number> {
    const idle = await run(warm);
    const busy = await run([...warm, ...callsOf(params)]);
    return (what) => ((busy.counts[what] ?? 0) - (idle.counts[what] ?? 0)) / many;
  }

  test('is parsed once and written once on each side', async () => {
    const each = await perCall(use('echo', { text: 'x'.repeat(100) }));
    expect(each('parsed')).toBeCloseTo(2, 1);
    expect(each('written')).toBeCloseTo(2, 1);
    expect(each('writes')).toBeCloseTo(2, 1);
  });

  test('with a large result is parsed without the result, and the result is not serialised again', async () => {
    const each = await perCall(use('blob', { bytes: 1_000_000 }));
    expect(each('parsedChars')).toBeLessThan(1_500);
    expect(each('writtenChars')).toBeLessThan(1_500);
  });
});
