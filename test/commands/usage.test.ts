import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandHelp } from '../../src/cli/frame/command-line/help.js';
import { commands, general } from '../../src/cli/frame/command-line/table.js';
import { shellQuote } from '../../src/text/shell-quote.js';
import { runCommand } from '../support/commands.js';
import { prepareLaunch, temporaryDirectory } from '../support/launch.js';
import { linuxOnly } from '../support/platform.js';

const names = commands.map(({ name }) => name);

test.each([
  [['untruts'], "No command 'untruts'. Did you mean 'untrust'?\n"],
  [['frobnicate'], `No command 'frobnicate'. There are: ${names.join(', ')}.\n`],
  [['help', 'trsut'], "No command 'trsut'. Did you mean 'trust'?\n"],
  [['ls'], "No command 'ls'. Did you mean 'list'?\n"],
])('%j is an unknown command, on one line', async (args, expected) => {
  expect(await runCommand(args)).toEqual({ code: 2, stdout: '', stderr: expected });
});

test.each([[['trust', 'a', 'b']], [['serve', 'x']], [['--config']], [['--config=']]])(
  '%j is wrong usage',
  async (args) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/See mcp-workbench (?:serve |trust )?--help/);
  },
);

test.each([
  [['trust', '--lst'], 'Unknown option --lst. Did you mean --list?'],
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

test('--help of a command, and help with its name, show its options and two examples', async () => {
  for (const command of commands) {
    const help = commandHelp(command);
    expect(help).toContain(`Usage: mcp-workbench ${command.name}`);
    expect([command.name, help.split('Examples:\n')[1]?.trim().split('\n')]).toEqual([
      command.name,
      [expect.any(String), expect.any(String)],
    ]);
  }
  const stdout = commandHelp(commands.find(({ name }) => name === 'trust') ?? general);
  for (const words of [
    ['trust', '--help'],
    ['help', 'trust'],
  ])
    expect(await runCommand(words)).toEqual({ code: 0, stdout, stderr: '' });
});

test('help names every command', async () => {
  const { stdout } = await runCommand(['help']);
  for (const command of names) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  expect((await runCommand(['--help'])).stdout).toBe(stdout);
});

test('help is a document with --json', async () => {
  for (const args of [['--help'], ['help', 'list']]) {
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

test('trust says first that a directory has no configuration', async () => {
  const { code, stdout } = await runCommand(['trust', '--dry-run']);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^There is no workbench-config\.json in \S+\. Only the directory itself would be trusted:\n/),
  ]);
});

test('a directory that does not exist cannot be trusted', async () => {
  const { code, stderr } = await runCommand(['trust', 'nowhere', '--yes']);
  expect(code).toBe(3);
  expect(stderr).toContain('There is no file or directory');
});
