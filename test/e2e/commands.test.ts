import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/frame/command-line/table.js';
import { shellQuote } from '../../src/text/shell-quote.js';
import { runCommand } from '../support/commands.js';
import { prepareLaunch, temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';

const names = commands.map(({ name }) => name);

test.each([
  [['untruts'], "No command 'untruts'. Did you mean 'untrust'?\n"],
  [['frobnicate'], `No command 'frobnicate'. There are: ${names.join(', ')}.\n`],
  [['help', 'trsut'], "No command 'trsut'. Did you mean 'trust'?\n"],
])('%j is an unknown command, on one line', async (args, expected) => {
  expect(await runCommand(args)).toEqual({ code: 2, stdout: '', stderr: expected });
});

test.each([
  [['--nope']],
  [['trust', '--nope']],
  [['trust', 'a', 'b']],
  [['serve', 'x']],
  [['--config']],
  [['--config=']],
])('%j is wrong usage', async (args) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/See mcp-workbench (?:serve |trust )?--help/);
});

test.each([
  [['trust', '--lst'], 'Unknown option --lst. Did you mean --list?'],
  [['trust', '-x'], 'Unknown option -x.'],
  [['--nope'], 'Unknown option --nope.'],
  [['--config', 'a', '--config', 'b'], '--config can be given only once.'],
  [['-cFILE'], 'Write a space after -c: -c FILE'],
  [['trust', '--list', 'foo'], '--list takes no path.'],
])('%j says what is wrong', async (args, expected) => {
  const { code, stdout, stderr } = await runCommand(args);
  expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', expected]);
});

test('options may stand before the command', async () => {
  const env = { HOME: temporaryDirectory() };
  const { stdout } = await runCommand(['--json', 'trust', '--list'], { env });
  expect(JSON.parse(stdout)).toEqual({ version: 1, trusted: [] });
  for (const args of [
    ['--version', '--json'],
    ['--json', '--version'],
    ['--help', '--json'],
  ])
    expect(await runCommand(args)).toMatchObject({ code: 0, stderr: '' });
});

test('a JSON error has no empty place', async () => {
  const { stdout } = await runCommand(['trust', 'nowhere', '--json']);
  expect(JSON.parse(stdout).error).toEqual({ code: 'CONFIG_NOT_FOUND', message: expect.any(String) });
});

test('a reader that leaves ends a command quietly; a full disk is one line', async () => {
  linuxOnly('/dev/full');
  const launch = prepareLaunch({ args: ['help'] });
  const line = [launch.command, ...launch.args].map(shellQuote).join(' ');
  const run = (script: string) => spawnSync('bash', ['-c', script], { env: launch.env, encoding: 'utf8' });
  // The command writes only after its reader has left.
  const closed = run(
    `mkfifo "$0/pipe"; exec 3<>"$0/pipe" 4>"$0/pipe" 3<&-; ${line} >&4; echo "code $?"`.replaceAll(
      '$0',
      temporaryDirectory(),
    ),
  );
  expect([closed.stdout, closed.stderr]).toEqual(['code 0\n', '']);
  const full = run(`${line} > /dev/full`);
  expect([full.status, full.stderr]).toEqual([1, 'mcp-workbench: Cannot write to stdout: ENOSPC\n']);
});

test('wrong usage and unknown commands are JSON documents with --json', async () => {
  for (const args of [
    ['untruts', '--json'],
    ['trust', '--nope', '--json'],
  ]) {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, error: { code: 'USAGE' } });
  }
});

test.each(names)('%s --help shows its options and two examples', async (command) => {
  const { code, stdout } = await runCommand([command, '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: mcp-workbench ${command}`);
  expect(stdout.split('Examples:\n')[1]?.trim().split('\n')).toHaveLength(2);
  expect(await runCommand(['help', command])).toMatchObject({ stdout });
});

test('help names every command', async () => {
  const { stdout } = await runCommand(['help']);
  for (const command of names) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  expect((await runCommand(['--help'])).stdout).toBe(stdout);
});

test('help is a document with --json', async () => {
  for (const args of [['help'], ['--help'], ['list', '--help'], ['help', 'list']]) {
    const { code, stdout } = await runCommand([...args, '--json']);
    const { help } = JSON.parse(stdout);
    expect([code, help]).toEqual([0, (await runCommand(args)).stdout]);
  }
});

test('version and --version print the version', async () => {
  const { stdout } = await runCommand(['version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await runCommand(['-v'])).stdout).toBe(stdout);
  expect(JSON.parse((await runCommand(['version', '--json'])).stdout)).toEqual({
    version: 1,
    workbench: stdout.trim(),
  });
});

test('a directory that does not exist cannot be trusted', async () => {
  const { code, stderr } = await runCommand(['trust', 'nowhere', '--yes']);
  expect(code).toBe(3);
  expect(stderr).toContain('There is no file or directory');
});
