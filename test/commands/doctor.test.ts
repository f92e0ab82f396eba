import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { displayWidth } from '../../src/text/display-width.js';
import { printable } from '../../src/text/printable.js';
import { canariesFor, createWatch } from '../support/canaries.js';
import { runCommand, runOnTerminal } from '../support/commands.js';
import { devToolbox, writeConfig } from '../support/configs.js';
import { startCanary } from '../support/http-servers.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';
import { expectNoProcessLeft } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';

const shell = (script: string) => ({ command: 'sh', args: ['-c', script] });
const toolboxes = {
  dev: {
    description: 'Code',
    mcpServers: {
      files: fixture('--name', 'secure-fs', '--tools', 'a,b'),
      modern: fixture('--modern', '--tools', 'a'),
      off: { command: 'x', disabled: true },
      linear: { command: 'npx', args: ['-y', 'mcp-remote@0.1.2', 'https://mcp.example.com'] },
    },
  },
  data: {
    description: 'Databases',
    mcpServers: {
      postgres: fixture('--exit', 3),
      // Between others: the order is that of the file.
      well: fixture('--tools', 'a'),
      missing: { command: 'nonexistent-program' },
      unset: { command: 'x', env: { TOKEN: '${NEVER_SET}' } },
      slow: { ...fixture('--never-answer'), startTimeoutMs: 700 },
    },
  },
};

/** Times and the path of the configuration are different each time, and so is what they are aligned to. */
const withoutFacts = (text: string) =>
  text
    .replaceAll(/\d+\.\d s/g, 'N s')
    .replaceAll(/\b\d+ ms/g, 'N ms')
    .replaceAll(/[^\s']*workbench-config\.json/g, 'FILE')
    .replaceAll(/(\S) {2,}/g, '$1  ');

test('every server is started once: those that are well with facts, the others with reason and advice', async () => {
  linuxOnly('paths in messages');
  const { code, stdout, stderr } = await runCommand(['doctor'], { config: { toolboxes }, env: { LANG: 'C.UTF-8' } });
  expect([code, stderr]).toEqual([4, '']);
  // An old Node.js gives a hint.
  const lines = withoutFacts(stdout).split('\n');
  expect(lines.filter((line) => !isAboutHints(line))).toEqual([
    'Configuration  ✓ FILE, 2 toolboxes, 9 servers',
    expect.stringMatching(/^Host {2}○ none runs; the first call of a session starts it at .*\/host-\w+-\w+\.sock$/),
    expect.stringMatching(/^ +start {2}answer {2}protocol {2}server {2}tools {2}tokens$/),
    'dev',
    '  files  ✓ N s  N ms  2025-11-25  secure-fs 1.0.0  2  40',
    '  modern  ✓ N s  N ms  2026-07-28  scripted 1.0.0  1  20',
    '  off  – disabled',
    '  linear  ○ not started: it may open a browser',
    '    mcp-workbench doctor dev linear --config FILE',
    'data',
    '  postgres  ✗ it exited with code 3 after N s',
    '    it wrote nothing to stderr',
    '    › mcp-workbench logs data postgres --config FILE',
    '  well  ✓ N s  N ms  2025-11-25  scripted 1.0.0  1  20',
    "  missing  ✗ command 'nonexistent-program' not found in PATH",
    '    › install nonexistent-program, or write the full path of nonexistent-program in "command"',
    expect.stringMatching(/^ {2}unset {2}✗ NEVER_SET is not set \(.*\)\. Put NEVER_SET=… into secrets\.env/),
    '  slow  ✗ it was not ready within N ms (startTimeoutMs)',
    '    it wrote nothing to stderr',
    '    › raise startTimeoutMs if it is only slow',
    expect.stringMatching(
      /^3 of 7 servers are ok, 4 are failing, 1 not started\. About 80 tokens of tools, \d+ at start\.$/,
    ),
    '',
  ]);
});

function isAboutHints(line: string): boolean {
  return /^\d hints?: mcp-workbench doctor --hints --config FILE$/.test(line);
}

test('--json has the same facts, and a good configuration has exit code 0', async () => {
  const config = devToolbox({ files: toolboxes.dev.mcpServers.files, off: toolboxes.dev.mcpServers.off });
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], { config });
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ version: 1, config: expect.stringContaining('workbench-config.json'), warnings: [], well: true },
    servers: [
      {
        ...{
          toolbox: 'dev',
          server: 'files',
          state: 'well',
          startMs: expect.any(Number),
          latencyMs: expect.any(Number),
        },
        ...{ revision: '2025-11-25', software: 'secure-fs 1.0.0', tools: 2, tokens: 40 },
      },
      { toolbox: 'dev', server: 'off', state: 'disabled' },
    ],
    hints: expect.any(Array),
  });
});

test('with an address doctor starts that server only, which may open a browser', async () => {
  const directory = temporaryDirectory();
  const log = join(directory, 'log');
  const config = devToolbox({ one: fixture('--log', log), two: { ...fixture(), args: ['/nonexistent/mcp-remote'] } });
  const { code, stdout } = await runCommand(['doctor', 'dev', 'two'], { config });
  expect(code).toBe(4);
  expect(stdout).toContain('0 of 1 server is ok, 1 is failing.');
  expect(stdout).toContain('Cannot find module');
  expect(stdout).toContain('correct the path in "args": /nonexistent/mcp-remote does not exist');
  expect(existsSync(log)).toBe(false);
  expect(await runCommand(['doctor', 'dev', 'tow'], { config })).toMatchObject({ code: 2, stdout: '' });
});

test('a remote server that needs a login is no failure of ours, and nothing is sent to one that is not asked for', async () => {
  const canary = await startCanary();
  const config = devToolbox({ remote: { url: canary.url }, local: fixture() });
  expect((await runCommand(['doctor', 'dev', 'local'], { config })).code).toBe(0);
  expect(canary.connections()).toBe(0);
  expect((await runCommand(['doctor', 'dev', 'remote'], { config })).code).toBe(4);
  expect(canary.connections()).toBeGreaterThan(0);
});

test('hints are about what works but is unwise', async () => {
  const tool = { name: 'large', description: 'x '.repeat(20_000), inputSchema: { type: 'object' } };
  const many = Array.from({ length: 10 }, (_, index) => ({ ...tool, name: `large_${index}` }));
  const tools = join(temporaryDirectory(), 'tools.json');
  writeFileSync(tools, JSON.stringify(many));
  const toolbox = { description: 'long '.repeat(1_000), mcpServers: { large: fixture('--tools-file', tools) } };
  const npx = { command: 'npx', args: ['-y', 'some-server'], disabled: true };
  const config = { toolboxes: { dev: toolbox, other: { description: 'd', mcpServers: { npx } } } };
  const { stdout } = await runCommand(['doctor', '--hints', '--json'], { config });
  const kinds = JSON.parse(stdout).hints.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['tokens', 'descriptions']));
  // It is not used.
  expect(kinds).not.toContain('unpinned');
  const plain = await runCommand(['doctor'], { config });
  expect(withoutFacts(plain.stdout).split('\n').filter(isAboutHints)).toHaveLength(1);
});

test.each([
  [{ command: 'npx', args: ['-y', '@scope/server', '/data'] }, '@scope/server'],
  [{ command: 'npx', args: ['-y', '@scope/server@latest'] }, '@scope/server'],
  [{ command: 'npx', args: ['-y', '@scope/server@1.2.3'] }, undefined],
  [{ command: 'uvx', args: ['mcp-server-git'] }, 'mcp-server-git'],
  [{ command: 'uvx', args: ['mcp-server-git==1.0'] }, undefined],
  [{ command: 'node', args: ['server.js'] }, undefined],
])('whether %j is pinned', async (entry, unpinned) => {
  // Nothing can be started: there are no programs.
  const { stdout } = await runCommand(['doctor', '--json'], {
    config: devToolbox({ any: entry }),
    env: { PATH: '/nonexistent' },
  });
  const hint = JSON.parse(stdout).hints.find(({ kind }: { kind: string }) => kind === 'unpinned');
  expect(hint?.text.includes(`whatever version of ${unpinned} is newest`)).toBe(
    unpinned === undefined ? undefined : true,
  );
});

test.each([
  [{}, true],
  [{ perSession: true }, false],
])('a browser that sessions would share is a hint: %j', async (setting, isHint) => {
  const { stdout } = await runCommand(['doctor', '--json'], {
    config: devToolbox({ any: { command: 'npx', args: ['-y', '@playwright/mcp@0.0.1'], ...setting } }),
    env: { PATH: '/nonexistent' },
  });
  const kinds = JSON.parse(stdout).hints.map(({ kind }: { kind: string }) => kind);
  expect(kinds.includes('state')).toBe(isHint);
});

test('on a terminal of 80 columns each server that starts has a line with its time, and nothing of it stays', async () => {
  linuxOnly('script of util-linux');
  const config = { toolboxes };
  const terminal = runOnTerminal(['doctor', '--no-color'], { config });
  await until(() => /starting data slow … \d\.\d s \(limit 1 s\)/.test(terminal.screen()));
  expect(await terminal.exited).toBe(4);
  const [, report = ''] = terminal.screen().split(/Configuration/);
  expect(report).not.toContain('starting');
  for (const line of printable(report).split(/\r?\n/)) {
    // Commands and paths are pasted, so they are never cut.
    if (!/mcp-workbench |workbench-config|\.sock$/.test(line)) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  }
});

test('a line break or carriage return in a name of an entry cannot overwrite the line of a server that starts', async () => {
  linuxOnly('script of util-linux');
  const name = 'evil\r› starting dev good\nmore';
  const config = {
    toolboxes: {
      dev: { description: 'x', mcpServers: { [name]: { ...fixture('--start-delay', 60_000), startTimeoutMs: 1_000 } } },
    },
  };
  const terminal = runOnTerminal(['doctor', '--no-color'], { config, columns: 120 });
  await until(() => terminal.screen().includes('starting dev evil | › starting dev good | more …'));
  expect(await terminal.exited).toBe(4);
  expect(terminal.screen()).not.toMatch(/\r(?!\r?\n)/);
});

test('Ctrl-C ends every server that is starting', async () => {
  linuxOnly('script of util-linux');
  const config = devToolbox({ one: fixture('--never-answer'), two: fixture('--never-answer') });
  const terminal = runOnTerminal(['doctor'], { config });
  await until(() => terminal.screen().includes('starting dev two'));
  terminal.type('\u0003');
  expect(await terminal.exited).toBe(130);
  expect(terminal.screen()).toContain('Interrupted.');
  await expectNoProcessLeft(terminal.marker);
});

test('a server that is well again is no longer known as failed', async () => {
  const home = temporaryDirectory();
  const failures = join(home, '.cache', 'mcp-workbench', 'failures');
  const well = join(home, 'well');
  const { command = '', args = [] } = fixture();
  const broken = { command: 'sh', args: ['-c', `test -e ${well} && exec "$@"; exit 1`, 'sh', command, ...args] };
  // The same file both times: it is part of what names the server.
  const file = writeConfig(home, devToolbox({ any: broken }));
  const run = () => runCommand(['doctor', '--config', file], { env: { HOME: home } });
  expect((await run()).code).toBe(4);
  expect(readdirSync(failures)).toHaveLength(1);
  writeFileSync(well, '');
  expect((await run()).code).toBe(0);
  expect(readdirSync(failures)).toEqual([]);
});

test('no configured secret is in any of its outputs', async () => {
  const canaries = canariesFor('doctor');
  const env = Object.fromEntries(canaries.map(({ name, value }) => [name, value]));
  const references = Object.fromEntries(canaries.map(({ name }) => [name, `\${${name}}`]));
  const broken = { ...shell('env >&2; exit 3'), env: references };
  const named = { ...fixture('--name', `server ${env['DOCTOR_PREFIXED']}`), env: references };
  const watch = createWatch(canaries);
  for (const options of [[], ['--json'], ['--hints']]) {
    const { stdout, stderr } = await runCommand(['doctor', ...options], { config: devToolbox({ broken, named }), env });
    expect(stdout).toContain('exited with code 3');
    expect(watch(stdout + stderr)).toEqual([]);
  }
});

test('an invalid configuration is reported, and nothing is started', async () => {
  const { code, stdout, stderr } = await runCommand(['doctor'], { configText: '{"toolboxes": {"dev": 7}}' });
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain('workbench-config.json');
});

test('without a configuration doctor says where to write one', async () => {
  expect(await runCommand(['doctor'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no configuration yet'),
  });
});
