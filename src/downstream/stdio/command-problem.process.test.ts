import { chmodSync, mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/launch.js';
import { posixOnly } from '../../../test/support/platform.js';
import type { StdioTarget } from '../../config/config.js';
import { messageOf } from '../../contract/errors.js';
import { startChild } from './child.js';
import { createWatchdog } from './watchdog.js';

posixOnly('file modes, scripts for an interpreter');

let directory = '';
let path = '';
beforeEach(() => {
  directory = temporaryDirectory();
  path = `${join(directory, 'bin')}:/usr/bin:/bin`;
  mkdirSync(join(directory, 'bin'));
});

function file(name: string, content: string, mode: number): string {
  writeFileSync(join(directory, name), content);
  chmodSync(join(directory, name), mode);
  return join(directory, name);
}

/** What is said when a real start fails. */
async function reasonFor(command: string, more: Partial<StdioTarget> = {}): Promise<string> {
  const target = { kind: 'stdio', command, args: [], env: new Map(), cwd: undefined, ...more } as const;
  const child = await startChild(target, {
    env: new Map([['PATH', path]]),
    cwd: directory,
    platform: 'linux',
    watchdog: createWatchdog('linux', () => {}),
    mask: (text) => text,
    onStderr: () => {},
  }).catch((error: unknown) => messageOf(error));
  if (typeof child === 'string') return child;
  await child.close();
  return 'it started';
}

/** Root may read and enter everything; for the time of the test we are the user `nobody`. */
function asOrdinaryUser(): void {
  if (process.geteuid?.() !== 0) return;
  chmodSync(directory, 0o755);
  process.seteuid?.(65_534);
  onTestFinished(() => process.seteuid?.(0));
}

test('a path with a space in it is quoted as it is, and is not taken for a program with arguments', async () => {
  expect(await reasonFor('/no/My Projects/run.sh')).toBe("command '/no/My Projects/run.sh' does not exist");
  expect(await reasonFor('/no/My App.app/MacOS/My Helper')).toBe(
    "command '/no/My App.app/MacOS/My Helper' does not exist",
  );
  expect(await reasonFor('/no/My Projects/run.sh a1b2c3d4e5')).toContain('it must be the program alone');
  mkdirSync(join(directory, 'My Projects'));
  const script = file('My Projects/run.sh', '#!/bin/sh\nexec cat', 0o755);
  expect(await reasonFor(script)).toBe('it started');
});

describe('a command by name', () => {
  test('that is nowhere in PATH is said not to be found there', async () => {
    expect(await reasonFor('no-such-program')).toBe("command 'no-such-program' not found in PATH");
  });

  test('is not found although a directory has its name', async () => {
    mkdirSync(join(directory, 'bin', 'tool'));
    expect(await reasonFor('tool')).toBe("command 'tool' not found in PATH");
  });

  test('that is a file without the permission to execute it is named with its place', async () => {
    const found = file('bin/tool', '#!/bin/sh\n', 0o644);
    expect(await reasonFor('tool')).toBe(`command 'tool' was found as '${found}', which is not executable`);
  });

  test('that may be in a directory of PATH that cannot be searched: the directory is named', async () => {
    chmodSync(join(directory, 'bin'), 0);
    onTestFinished(() => chmodSync(join(directory, 'bin'), 0o755));
    asOrdinaryUser();
    expect(await reasonFor('no-such-program')).toBe(
      `command 'no-such-program' not found in PATH; '${join(directory, 'bin')}' in PATH cannot be searched: permission denied`,
    );
  });

  test('starts although a directory before it in PATH cannot be searched', async () => {
    chmodSync(join(directory, 'bin'), 0);
    onTestFinished(() => chmodSync(join(directory, 'bin'), 0o755));
    asOrdinaryUser();
    expect(await reasonFor('true')).toBe('it started');
  });
});

describe('a command by path', () => {
  test('that does not exist', async () => {
    expect(await reasonFor('/no/such/program')).toBe("command '/no/such/program' does not exist");
    expect(await reasonFor('./program')).toBe("command './program' does not exist");
    const plain = file('plain', '', 0o644);
    expect(await reasonFor(`${plain}/program`)).toBe(`command '${plain}/program' does not exist`);
  });

  test('that is a directory', async () => {
    expect(await reasonFor(directory)).toBe(`command '${directory}' is a directory`);
  });

  test('that is not executable', async () => {
    const plain = file('plain', '#!/bin/sh\n', 0o644);
    expect(await reasonFor(plain)).toBe(`command '${plain}' is not executable`);
  });

  test('that is a link to itself', async () => {
    const link = join(directory, 'link');
    symlinkSync('link', link);
    expect(await reasonFor(link)).toBe(
      `command '${link}' cannot be reached: too many symbolic links encountered (ELOOP)`,
    );
  });

  test('that is a script for an interpreter that does not exist', async () => {
    const script = file('script', '#! /no/such/interpreter -x\n', 0o755);
    expect(await reasonFor(script)).toBe(
      `command '${script}' is a script for '/no/such/interpreter', which does not exist`,
    );
  });

  test('that is a script with the line ends of Windows', async () => {
    const script = file('script', '#!/bin/sh\r\nexit 0\r\n', 0o755);
    expect(await reasonFor(script)).toBe(`command '${script}' is a script with Windows line ends`);
  });
});

describe('a command line in place of a command', () => {
  test.each(['no-such-program --key=canary', '/no/such/program canary', 'no-such-program\tcanary'])(
    '%j is not quoted: its arguments belong into args',
    async (command) => {
      const reason = await reasonFor(command);
      expect(reason).toContain('put its arguments into "args"');
      expect(reason).not.toContain('canary');
    },
  );

  test('that begins with a variable is not quoted: it belongs into env', async () => {
    const reason = await reasonFor('API_KEY=canary');
    expect(reason).toContain('put variables into "env"');
    expect(reason).not.toContain('canary');
  });

  test('is not quoted either if a file has that name', async () => {
    const plain = file('my canary', '#!/bin/sh\n', 0o644);
    expect(await reasonFor(plain)).toBe('the command is not executable');
    expect(await reasonFor(file('my script', '#!/bin/sh\nexec sleep 60\n', 0o755))).toBe('it started');
  });
});

describe('a working directory', () => {
  test('that does not exist', async () => {
    expect(await reasonFor('true', { cwd: '/gone' })).toBe("working directory '/gone' does not exist");
  });

  test('that is our own and was deleted', async () => {
    path = '/usr/bin:/bin';
    rmdirSync(join(directory, 'bin'));
    rmdirSync(directory);
    expect(await reasonFor('true')).toBe(`working directory '${directory}' does not exist`);
  });

  test('that is a file', async () => {
    const plain = file('plain', '', 0o644);
    expect(await reasonFor('true', { cwd: plain })).toBe(`working directory '${plain}' is not a directory`);
  });

  test('that cannot be entered', async () => {
    const closed = join(directory, 'closed');
    mkdirSync(closed, { mode: 0 });
    asOrdinaryUser();
    expect(await reasonFor('true', { cwd: closed })).toBe(
      `working directory '${closed}' cannot be entered: permission denied`,
    );
  });
});

test('arguments that no program can be given are named without quoting them', async () => {
  const reason = await reasonFor('true', { args: ['secret\0'] });
  expect(reason).toContain('contains a NUL character');
  expect(reason).not.toContain('secret');
});

test('arguments that are too long are said to be so', async () => {
  expect(await reasonFor('true', { args: ['x'.repeat(5_000_000)] })).toBe(
    "command 'true' could not be started: argument list too long (E2BIG)",
  );
});
