import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ownLogFile, serverLogFile } from '../../src/downstream/logs/log-names.js';
import { logDirectoryOf } from '../../src/platform/directories.js';
import { openTerminal, runOnTerminal } from '../support/commands.js';
import { createHome, type Home, marked, programDirectory } from '../support/homes.js';
import { posixOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

const config = {
  toolboxes: {
    dev: { description: 'For tests', mcpServers: { github: { ...fixture(), env: marked }, files: fixture() } },
  },
};
const commands = ['list', 'tools', 'logs', 'validate', 'trust', 'untrust', 'schema', 'version'];

test.each([[[]], ...commands.map((command) => [[command]])])(
  '%j --json prints one document with its version, and no talk',
  async (words) => {
    const home = createHome(config);
    const dryRun = words.includes('trust') || words.includes('untrust') ? ['--dry-run'] : [];
    const { code, stdout } = await home.run(...words, '--json', ...dryRun);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ version: 1 });
  },
);

test.each([
  [['list', 'dve'], 2, 'TOOLBOX_NOT_FOUND', { toolbox: 'dve' }],
  [['list', 'dev', 'gihub'], 2, 'SERVER_NOT_FOUND', { toolbox: 'dev', server: 'gihub' }],
  [['tools', 'github'], 2, 'TOOLBOX_NOT_FOUND', { toolbox: 'github' }],
  [['logs', 'dev'], 2, 'USAGE', undefined],
  [['logs', 'dev', 'gihub'], 2, 'SERVER_NOT_FOUND', { toolbox: 'dev', server: 'gihub' }],
  [['logs', '-n', 'many'], 2, 'USAGE', undefined],
  [['logs', '-f'], 2, 'USAGE', undefined],
  [['completion', 'powershell'], 2, 'USAGE', undefined],
  [['tools', 'dev', 'files', '--offline'], 1, 'NOT_LISTED', { toolbox: 'dev', server: 'files' }],
  [['list', '--config', '/nonexistent/missing.json'], 3, 'CONFIG_NOT_FOUND', undefined],
  [['validate', '/nonexistent/missing.json'], 3, 'CONFIG_NOT_FOUND', undefined],
])('%j is one clear line with code %i, as JSON %s', async (args, code, name, place) => {
  const home = createHome(config);
  const json = await home.run(...args, '--json');
  const { error } = JSON.parse(json.stdout);
  expect([json.code, json.stderr, error.code, error.place]).toEqual([code, '', name, place]);
  if (args.includes('-f')) return;
  const plain = await home.run(...args);
  expect([plain.code, plain.stdout, plain.stderr]).toEqual([code, '', `${error.message}\n`]);
  expect(plain.stderr).not.toMatch(/^ {4}at /m);
});

test('tools of an unknown name are said with the nearest one', async () => {
  const home = createHome(config);
  expect(await home.run('tools', 'dev', 'github', 'ehco')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Tool 'ehco' not found in server 'github' (toolbox 'dev'). Did you mean 'echo'?\n"),
  });
});

test('a reader that leaves ends every command quietly', async () => {
  posixOnly('pipes of bash');
  const home = createHome(config);
  const env = { ...home.env, PATH: `${programDirectory()}:${process.env['PATH'] ?? ''}` };
  const script = commands
    .map((command) => `mcp-workbench ${command} 2>&1 | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`)
    .join('\n');
  const child = spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const shown: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => shown.push(text));
  await once(child, 'close');
  // `trust` without a terminal refuses.
  expect(shown.join('').trim().split('\n')).toEqual(commands.map((command) => (command === 'trust' ? '2' : '0')));
});

test('without a command and a terminal it serves; on a terminal it shows the state', async () => {
  posixOnly('needs a pseudo-terminal');
  const home = createHome(config);
  const served = startWorkbench({ env: home.env });
  expect((await initialize(served)).result).toMatchObject({ serverInfo: { name: 'mcp-workbench' } });
  const { code, screen } = await home.see([]);
  expect([code, screen]).toEqual([0, expect.stringContaining('1 toolbox, 2 servers: 2 not measured yet')]);
  const explicit = runOnTerminal(['serve'], { env: home.env });
  await until(() => explicit.screen().includes('configuration:'), { what: 'the log of serve' });
  explicit.type('\u0003');
  await explicit.exited;
});

const logsOf = ({ directory }: Home) => logDirectoryOf({ env: {}, platform: process.platform, home: directory });

test('the log of the workbench is written after its first call, and logs shows it', async () => {
  const home = createHome(config);
  const session = startWorkbench({ env: home.env });
  await initialize(session);
  await session.request('tools/list');
  expect(existsSync(logsOf(home))).toBe(false);
  await session.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  await until(() => existsSync(ownLogFile(logsOf(home))), { what: 'the log' });
  const { stdout } = await home.run('logs');
  expect(stdout).toMatch(new RegExp(`^\\S+Z \\[${session.pid}\\] serves .*workbench-config\\.json\n`));
  // What it logs from now on is there as well.
  session.write('no message\n');
  await until(() => readFileSync(ownLogFile(logsOf(home)), 'utf8').includes('agent: '), { what: 'the warning' });
});

test('logs shows the last lines of a server, also from the file before, and goes on with -f until Ctrl-C', async () => {
  posixOnly('needs a pseudo-terminal');
  const home = createHome(config);
  const file = serverLogFile(logsOf(home), { toolbox: 'dev', name: 'github' });
  expect(await home.run('logs', 'dev', 'github')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('No log yet'),
  });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.1`, 'one\ntwo\n');
  writeFileSync(file, 'three\nfour\n');
  expect((await home.run('logs', 'dev', 'github')).stdout).toBe('one\ntwo\nthree\nfour\n');
  expect((await home.run('logs', 'dev', 'github', '-n', '3')).stdout).toBe('two\nthree\nfour\n');
  expect((await home.run('logs', 'dev', 'github', '-n', '0')).stdout).toBe('');
  expect(JSON.parse((await home.run('logs', 'dev', 'github', '-n', '1', '--json')).stdout)).toEqual({
    version: 1,
    file,
    files: [file],
    lines: ['four'],
  });
  const following = runOnTerminal(['logs', 'dev', 'github', '-f', '-n', '1'], { env: home.env });
  await until(() => following.screen().includes('four\r\n'), { what: 'the last line' });
  appendFileSync(file, 'five \u001B[31mred\nhalf');
  await until(() => following.screen().includes('five red\r\n'), { what: 'the new line' });
  appendFileSync(file, ' a line\n');
  await until(() => following.screen().includes('half a line\r\n'), { what: 'the rest of the line' });
  writeFileSync(file, 'new\n');
  await until(() => following.screen().includes('new\r\n'), { what: 'the line of the new file' });
  following.type('\u0003');
  expect(await following.exited).toBe(130);
  expect(following.screen()).not.toContain('three');
});

test('logs shows all processes with the names of a server by time, and goes on with -f also with those that come later', async () => {
  posixOnly('needs a pseudo-terminal');
  const home = createHome(config);
  const files = [1, 2, 10].map((number) => serverLogFile(logsOf(home), { toolbox: 'dev', name: 'github' }, number));
  const [file = '', second = '', tenth = ''] = files;
  const at = (seconds: number, text: string) => `2026-01-01T00:00:0${seconds}.000Z ${text}\n`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, at(1, 'starts') + at(4, '| four'));
  writeFileSync(second, at(2, 'starts') + at(3, '| three'));
  // Of other servers.
  for (const other of ['github-2.log', 'github%2E2.log', 'github.x.log', 'hub.2.log'])
    writeFileSync(join(dirname(file), other), at(5, 'of others'));
  expect((await home.run('logs', 'dev', 'github', '-n', '3')).stdout).toBe(
    at(2, '[2] starts') + at(3, '[2] | three') + at(4, '| four'),
  );
  expect(JSON.parse((await home.run('logs', 'dev', 'github', '--json')).stdout)).toMatchObject({
    file,
    files: [file, second],
  });
  const following = runOnTerminal(['logs', 'dev', 'github', '-f', '-n', '1'], { env: home.env });
  await until(() => following.screen().includes('| four\r\n'), { what: 'the last line' });
  writeFileSync(tenth, at(6, '| six'));
  await until(() => following.screen().includes('Z [10] | six\r\n'), { what: 'the line of another process' });
  appendFileSync(second, at(7, '| seven'));
  await until(() => following.screen().includes('Z [2] | seven\r\n'), { what: 'the new line' });
  following.type('\u0003');
  expect(await following.exited).toBe(130);
});

test('logs -f ends when its reader does', async () => {
  posixOnly('pipes of bash');
  const home = createHome(config);
  const file = ownLogFile(logsOf(home));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'one\n');
  const env = { ...home.env, PATH: `${programDirectory()}:${process.env['PATH'] ?? ''}` };
  const shell = openTerminal(['bash', '-c', 'mcp-workbench logs -f | head -1; echo ended'], {
    env,
    cwd: home.directory,
    columns: 80,
  });
  const more = setInterval(() => appendFileSync(file, 'more\n'), 50);
  try {
    expect(await shell.exited).toBe(0);
    expect(shell.screen()).toMatch(/one\r\nended/);
  } finally {
    clearInterval(more);
  }
});

test('Ctrl-C while tools starts a server ends the server, with code 130', async () => {
  posixOnly('needs a pseudo-terminal');
  const home = createHome({
    toolboxes: {
      dev: { description: 'For tests', mcpServers: { slow: { ...fixture('--never-answer'), env: marked } } },
    },
  });
  const terminal = runOnTerminal(['tools', 'dev', 'slow'], { env: home.env });
  await until(() => terminal.screen().includes('starting slow'), { what: 'the start' });
  terminal.type('\u0003');
  expect(await terminal.exited).toBe(130);
  expect(terminal.screen()).toMatch(/Interrupted\.\r\n$/);
});

test('schema prints the JSON Schema of the package', async () => {
  const home = createHome();
  const schema = readFileSync(join(import.meta.dirname, '../../schema/workbench-config.schema.json'), 'utf8');
  expect((await home.run('schema')).stdout).toBe(schema);
});
