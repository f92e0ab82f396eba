import { expect, test } from 'vitest';
import { runCommand } from '../support/commands.js';

test.each([
  [['untruts'], "No command 'untruts'. Did you mean 'untrust'?\n"],
  [['frobnicate'], "No command 'frobnicate'. There are: serve, trust, untrust, help, version.\n"],
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
  expect(stderr).toMatch(/See mcp-workbench (?:serve|trust) --help/);
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

test.each([['serve'], ['trust'], ['untrust'], ['version']])(
  '%s --help shows its options and two examples',
  async (command) => {
    const { code, stdout } = await runCommand([command, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: mcp-workbench ${command}`);
    expect(stdout.split('Examples:\n')[1]?.trim().split('\n')).toHaveLength(2);
    expect(await runCommand(['help', command])).toMatchObject({ stdout });
  },
);

test('help names every command', async () => {
  const { stdout } = await runCommand(['help']);
  for (const command of ['serve', 'trust', 'untrust', 'help', 'version'])
    expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  expect((await runCommand(['--help'])).stdout).toBe(stdout);
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
  expect(code).toBe(1);
  expect(stderr).toContain('There is no file or directory');
});
