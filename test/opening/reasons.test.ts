// @module-tag slow

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Agent, connectAgentTo, opened, text } from '../support/agents.js';
import { devToolbox, type ServerEntry } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { connectAgent } from '../support/in-process.js';
import { prepareLaunch, temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

linuxOnly('a shell');

const dumps = fileURLToPath(new URL('../fixtures/crash-dumps/', import.meta.url));

/** A server that fails with one of the recorded dumps, byte for byte. */
function replay(runtime: string, name: string): ServerEntry {
  const sections = readFileSync(join(dumps, `${runtime}.txt`), 'utf8').split(/^=== /m);
  const dump = sections.find((section) => section.startsWith(`${name}\n`))?.slice(name.length + 1);
  const file = join(temporaryDirectory(), 'dump');
  writeFileSync(file, dump ?? '');
  return { command: 'sh', args: ['-c', 'cat "$0" >&2; exit 1', file] };
}

/** A server that is a program of its own, in a file. */
function program(source: string, name = 'server.cjs', more: Partial<ServerEntry> = {}): ServerEntry {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, source);
  return { command: process.execPath, args: [file], ...more };
}

async function agentFor(servers: Record<string, ServerEntry>, more: object = {}): Promise<Agent> {
  return connectAgent('v2 modern', {
    config: { ...devToolbox({ good: fixture('--tools', 'echo'), ...servers }), ...more },
  });
}

/** Within a short `openTimeoutMs`, on a busy machine too. */
async function goodIsReady(agent: Agent): Promise<void> {
  await until(async () => (await agent.use('dev', 'good', 'echo')).isError !== true);
}

async function reasonFor(entry: ServerEntry): Promise<string> {
  const agent = await agentFor({ bad: entry });
  const { unavailable } = opened(await agent.open('dev'));
  expect(unavailable).toHaveLength(1);
  const reason = unavailable?.[0]?.reason ?? '';
  expect(reason.length).toBeLessThanOrEqual(500);
  for (const unwanted of ['\n', '\t', '\u001B', 'Node.js v', '^^']) expect(reason).not.toContain(unwanted);
  // A call says the same.
  const called = text(await agent.use('dev', 'bad', 'echo'));
  expect(called).toContain(`Failed to connect to server 'bad' in toolbox 'dev': ${reason.replace(/ \(log: .*$/, '')}`);
  return reason;
}

/** A server that is a shell script, which is started quickly on any machine. */
function script(source: string, more: Partial<ServerEntry> = {}): ServerEntry {
  return { ...program(source, 'server.sh', more), command: 'sh' };
}

/** Waits for something else for ever. */
const refusing = 'echo "connect ECONNREFUSED 127.0.0.1:1" >&2; exec sleep 60';

describe('the reason of a server that does not start', () => {
  test('names the cause of a crash of the Node.js that runs here', async () => {
    expect(await reasonFor(program("require('./missing.node');\n"))).toMatch(
      /^it exited with code 1; last stderr output: Cannot find module '\.\/missing\.node' \| Require stack: \| - \S+server\.cjs \(log: /,
    );
  });

  test.each([
    ['node-22', 'fetch-failed', 'TypeError: fetch failed | connect ECONNREFUSED 127.0.0.1:6379'],
    ['node-24', 'missing-package', "Cannot find package '@acme/mcp-server' imported from /srv/app/missing.mjs"],
    ['python-3.11', 'exception-group', 'ValueError: bad region: mars'],
    ['go', 'nil-pointer', 'panic: runtime error: invalid memory address or nil pointer dereference'],
    [
      'java-17',
      'caused-by',
      'java.lang.IllegalStateException: could not start the server | java.net.ConnectException: Connection refused',
    ],
  ])('names the cause of a crash of %s: %s', async (runtime, name, cause) => {
    expect(await reasonFor(replay(runtime, name))).toMatch(
      `it exited with code 1; last stderr output: ${cause} (log: `,
    );
  });

  test('has the last that it wrote to stderr, also if its stdout was closed before', async () => {
    const source = `const { closeSync, writeSync } = require('node:fs');
closeSync(1);
writeSync(2, 'still working\\n'.repeat(4_000));
throw new Error('no license');
`;
    expect(await reasonFor(program(source))).toContain('last stderr output: no license | still working (log: ');
  });

  test('is what the server last wrote if it does not answer', async () => {
    expect(await reasonFor(script(refusing, { startTimeoutMs: 1_500 }))).toMatch(
      /^it was not ready within 1500 ms \(startTimeoutMs\); it last wrote: connect ECONNREFUSED 127\.0\.0\.1:1 \(log: /,
    );
  });

  test('says so if the server wrote nothing, and quotes stdout if only that was written', async () => {
    expect(await reasonFor({ command: 'false' })).toMatch(/^it exited with code 1; it wrote nothing to stderr \(log: /);
    expect(
      await reasonFor(program('', 'server.cjs', { startTimeoutMs: 1_000, args: ['-e', 'process.stdin.resume()'] })),
    ).toMatch(/^it was not ready within 1000 ms \(startTimeoutMs\); it wrote nothing to stderr \(log: /);
    expect(await reasonFor({ command: 'sh', args: ['-c', 'echo "API_KEY is not set"; exit 2'] })).toMatch(
      /^it exited with code 2; last stdout output: API_KEY is not set \(log: /,
    );
  });

  test('names the log file of the server, which has all of it', async () => {
    const reason = await reasonFor(replay('node-20', 'missing-module'));
    const [, log = ''] = /\(log: (.*)\)$/.exec(reason) ?? [];
    await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('at Module._resolveFilename'));
  });

  test('stays with the crash loop that follows', async () => {
    const agent = await agentFor({ bad: replay('node-20', 'missing-module') });
    const refused = await until(async () => {
      const reason = text(await agent.use('dev', 'bad', 'echo'));
      return reason.includes('crash loop') && reason;
    });
    expect(refused).toMatch(
      /: crash loop: it crashed 6 times in a row, next try in \d s; last time it exited with code 1; last stderr output: Cannot find module '\.\/missing\.node'/,
    );
  });

  test('has no secret, no terminal sequence and no indentation, wherever in a dump they are', async () => {
    const token = 'canary-4f2a8c1b9d';
    const source = `console.error('\\u001B[31m   about to use', process.env.TOKEN);
throw new Error('\\u001B[1m no access with ' + process.env.TOKEN + ' to ' + 'x'.repeat(10_000));
`;
    const reason = await reasonFor(program(source, 'server.cjs', { env: { TOKEN: token } }));
    expect(reason).not.toContain('canary');
    expect(reason).toMatch(/last stderr output: no access with \*\*\* to x+… \(log: /);
  });
});

test('a server that fails in the same way in both eras is started once per attempt from then on', async () => {
  const log = join(temporaryDirectory(), 'starts');
  const source = `require('node:fs').appendFileSync(${JSON.stringify(log)}, 'x');\nthrow new Error('no key for process ' + process.pid);\n`;
  const agent = await agentFor({ bad: program(source) });
  const starts: number[] = [];
  for (let attempt = 1; attempt <= 3; attempt++) {
    expect(opened(await agent.open('dev')).unavailable?.[0]?.reason).toContain('output: no key for process ');
    starts.push(readFileSync(log, 'utf8').length);
  }
  expect(starts).toEqual([2, 3, 4]);
});

describe('a server that is still starting', () => {
  test('is reported with what it last wrote, by open_toolbox and use_tool', async () => {
    const agent = await agentFor({ slow: script(refusing) }, { openTimeoutMs: 2_500 });
    await goodIsReady(agent);
    const answer = opened(await agent.open('dev'));
    expect(answer).toMatchObject({ servers_connected: 1, starting: ['slow'] });
    expect(answer.notes).toEqual([
      'Still starting: slow (it last wrote: connect ECONNREFUSED 127.0.0.1:1). Call open_toolbox again in a moment to list its tools.',
    ]);
    expect(text(await agent.use('dev', 'slow', 'echo'))).toBe(
      "Server 'slow' in toolbox 'dev' is still starting; it last wrote: connect ECONNREFUSED 127.0.0.1:1. The tool was not called. Retry this call in a moment.",
    );
  });

  test('is reported with what it wrote in its first attempt if the second, in the other era, is silent', async () => {
    const source = `while read -r line; do
  case $line in *server/discover*) echo 'API_KEY is wrong' >&2; exit 1 ;; esac
done`;
    const agent = await agentFor({ slow: script(source) }, { openTimeoutMs: 2_500 });
    await goodIsReady(agent);
    expect(opened(await agent.open('dev')).notes?.[0]).toMatch(
      /^Still starting: slow \(it last wrote: API_KEY is wrong\)/,
    );
  });

  test('is connected as far as the agent can see if its tools are known: they are listed and can be called', async () => {
    const mayStart = join(temporaryDirectory(), 'may-start');
    writeFileSync(mayStart, '');
    const config = devToolbox({ slow: fixture('--tools', 'echo', '--start-when', mayStart) });
    const launch = prepareLaunch({ config });
    const first = await connectAgentTo(launch, 'v2 modern');
    await first.open('dev');
    await first.close();
    await endHosts();
    rmSync(mayStart);
    const again = await connectAgentTo(launch, 'v2 modern');
    const answer = opened(await again.open('dev'));
    expect(answer.servers_connected).toBe(1);
    expect(answer).not.toHaveProperty('starting');
    expect(answer.tools.map(({ name }) => name)).toEqual(['echo']);
    expect(answer.notes?.join()).not.toContain('Call open_toolbox again');
    const call = again.use('dev', 'slow', 'echo', { a: 1 });
    writeFileSync(mayStart, '');
    expect(text(await call)).toBe('{"a":1}');
  });
});
