// @module-tag hostile
import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../support/commands.js';
import { devToolbox, writeConfig } from '../support/configs.js';
import { temporaryDirectory } from '../support/launch.js';
import { posixOnly, rootOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';

posixOnly('owners and modes of files');

const content = devToolbox({ any: { command: 'x' } });
const nobody = 65_534;

function prepare() {
  const dir = realpathSync(temporaryDirectory());
  const cwd = join(dir, 'cwd');
  mkdirSync(join(dir, '.config', 'mcp-workbench'), { recursive: true });
  mkdirSync(cwd);
  return { dir, cwd, env: { HOME: dir }, folder: join(dir, 'conf'), own: join(dir, '.config', 'mcp-workbench') };
}

/** How the program ends when the client disconnects at once, and what it says. */
async function start(options: { cwd: string; env: Record<string, string>; args?: string[] }) {
  const workbench = startWorkbench(options);
  workbench.end();
  const { code } = await workbench.exited;
  return { code, stderr: workbench.stderr() };
}

test.each([
  ['everyone', 0o666, 'can be written to by everyone', 'chmod o-w'],
  ['a group that is not mine', 0o664, 'can be written to by group 12345', 'chmod g-w'],
])('a configuration that %s can write to is not used, however it was found', async (_, mode, what, command) => {
  if (mode === 0o664) rootOnly('another group');
  const { cwd, env, dir, own } = prepare();
  const named = join(dir, "it's mine.json");
  for (const file of [named, writeConfig(own, content), writeConfig(cwd, content)]) {
    if (file === named) writeFileSync(file, JSON.stringify(content));
    else expect((await runCommand(['trust', file, '--yes'], { cwd, env })).code).toBe(0);
    if (mode === 0o664) chownSync(file, -1, 12_345);
    chmodSync(file, mode);
  }
  const ways = [
    { args: ['--config', named], env, cwd },
    { env: { ...env, WORKBENCH_CONFIG: named }, cwd },
    { env, cwd },
    { env, cwd: dir },
  ];
  for (const way of ways) {
    const { code, stderr } = await start(way);
    expect(code).toBe(3);
    expect(stderr).toContain(what);
    expect(stderr).toMatch(new RegExp(`Run: ${command} \\S+`));
  }
  expect((await start({ args: ['--config', named], env, cwd })).stderr).toContain(
    `${command} '${dir}/it'\\''s mine.json'`,
  );
});

test('a configuration that a group of all users can write to is not used, although the user is in that group', async () => {
  rootOnly('another group');
  const { cwd, env, dir } = prepare();
  const file = writeConfig(dir, content);
  const users = process.platform === 'darwin' ? 20 : 100;
  chownSync(file, -1, users);
  chmodSync(file, 0o664);
  process.setegid?.(users);
  try {
    const { code, stderr } = await start({ args: ['--config', file], env, cwd });
    expect(code).toBe(3);
    expect(stderr).toContain(`can be written to by group ${users}`);
  } finally {
    process.setegid?.(0);
  }
});

test('a configuration of another user, or in a directory of theirs, is not used', async () => {
  rootOnly('another user');
  const { cwd, env, folder } = prepare();
  mkdirSync(folder);
  const args = ['--config', writeConfig(folder, content)];
  expect((await start({ args, env, cwd })).code).toBe(0);
  chownSync(folder, nobody, nobody);
  expect(await start({ args, env, cwd })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`${folder} belongs to another user (${nobody})`),
  });
  chownSync(folder, 0, 0);
  chownSync(join(folder, 'workbench-config.json'), nobody, nobody);
  expect(await start({ args, env, cwd })).toMatchObject({ code: 3, stderr: expect.stringContaining('Run: chown 0') });
});

test('a configuration in a directory where everyone can replace it is not used, but one in a directory such as /tmp is', async () => {
  const { cwd, env, folder } = prepare();
  mkdirSync(folder);
  const args = ['--config', writeConfig(folder, content)];
  chmodSync(folder, 0o777);
  expect(await start({ args, env, cwd })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`Run: chmod o-w ${folder}\n`),
  });
  chmodSync(folder, 0o1777);
  expect((await start({ args, env, cwd })).code).toBe(0);
});

test('a configuration behind a link that everyone can redirect is not used', async () => {
  const { dir, cwd, env, folder } = prepare();
  mkdirSync(folder);
  const open = join(dir, 'open');
  mkdirSync(open);
  symlinkSync(writeConfig(folder, content), join(open, 'link.json'));
  const args = ['--config', join(open, 'link.json')];
  expect((await start({ args, env, cwd })).code).toBe(0);
  chmodSync(open, 0o777);
  expect((await start({ args, env, cwd })).code).toBe(3);
  chmodSync(open, 0o700);
  chmodSync(folder, 0o777);
  expect((await start({ args, env, cwd })).code).toBe(3);
});

test('a trusted file that others can write to by now is not used', async () => {
  const { cwd, env } = prepare();
  const file = writeConfig(cwd, content);
  await runCommand(['trust', '--yes'], { cwd, env });
  expect((await start({ cwd, env })).code).toBe(0);
  chmodSync(file, 0o606);
  expect((await start({ cwd, env })).code).toBe(3);
  expect((await runCommand(['trust', '--yes'], { cwd, env })).code).toBe(3);
});

test('an env file that others can write to is used with a warning', async () => {
  const { cwd, env, dir } = prepare();
  const envFile = join(dir, '.env');
  writeFileSync(envFile, 'A=1\n');
  chmodSync(envFile, 0o606);
  const workbench = startWorkbench({ config: devToolbox({ any: { ...fixture(), envFile } }), env, cwd });
  await until(() => workbench.stderr().includes(`other users can change the env file ${envFile}`));
  chmodSync(envFile, 0o600);
  const quiet = startWorkbench({ config: devToolbox({ any: { ...fixture(), envFile } }), env, cwd });
  await initialize(quiet);
  await quiet.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  expect(quiet.stderr()).not.toContain('env file');
});
