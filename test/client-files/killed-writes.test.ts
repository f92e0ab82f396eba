import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { createHome, type FixtureClient, type Home } from '../support/client-homes.js';
import { createFreshHome, mcp } from '../support/init-homes.js';
import { linuxOnly } from '../support/platform.js';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const hook = fileURLToPath(new URL('../fixtures/kill-at-step.mjs', import.meta.url));
const mostSteps = 100;

/** Runs a command that is killed before the given step. Whether it was. */
function isKilled(home: Pick<Home, 'path'>, step: number, args: readonly string[]): boolean {
  const env = { PATH: process.env['PATH'], HOME: home.path, KILL_AT_STEP: String(step) };
  const { signal, status, stderr } = spawnSync(process.execPath, ['--import', hook, program, ...args], {
    env,
    cwd: home.path,
    encoding: 'utf8',
  });
  if (signal !== 'SIGKILL') expect([status, stderr]).toEqual([0, '']);
  return signal === 'SIGKILL';
}

/** A process that is killed leaves its locks; the next one would wait until they are old. */
function removeLocks(home: Home, client: FixtureClient): void {
  for (const lock of [`${home.fileOf(client)}.lock`, join(home.path, '.local/state/mcp-workbench/journal.lock')])
    rmSync(lock, { recursive: true, force: true });
}

test('kill -9 at every step of a connect leaves the old file or the new one, whole, and what was done can be undone', async () => {
  linuxOnly('SIGKILL');
  const client = 'codex';
  const home = createHome([client]);
  const before = home.read(client);
  await home.run('connect', client, '--yes');
  const after = home.read(client);
  await home.run('disconnect', client, '--yes');
  expect(home.read(client)).toBe(before);

  const seen = new Set<string>();
  let steps = 1;
  for (; steps < mostSteps && isKilled(home, steps, ['connect', client, '--yes']); steps++) {
    const now = home.read(client);
    expect([before, after]).toContain(now);
    seen.add(now);
    removeLocks(home, client);
    if (now === before) continue;
    expect(await home.run('disconnect', client, '--yes')).toMatchObject({ code: 0 });
    expect(home.read(client)).toBe(before);
  }
  expect(steps).toBeGreaterThan(15);
  expect(seen.size).toBe(2);
  expect(home.read(client)).toBe(after);
  // What is left of the killed ones is removed once it is old; nothing of it has the name of the file.
  const others = readdirSync(dirname(home.fileOf(client))).filter((name) => name.endsWith('.tmp'));
  for (const name of others) expect(name).toMatch(/\.mcp-workbench-[0-9a-f]{8}\.tmp$/);
}, 180_000);

test('kill -9 at every step of an undo leaves the old file or the new one, too', async () => {
  linuxOnly('SIGKILL');
  const client = 'claude-code';
  const home = createHome([client]);
  const before = home.read(client);
  await home.run('connect', client, '--yes');
  const after = home.read(client);
  for (let step = 1; step < mostSteps && isKilled(home, step, ['undo', '--yes']); step++) {
    const now = readFileSync(home.fileOf(client), 'utf8');
    expect([before, after]).toContain(now);
    removeLocks(home, client);
    if (now === before) await home.run('connect', client, '--yes');
  }
  expect(home.read(client)).toBe(before);
}, 180_000);

test('kill -9 during init, which writes several files: undo brings all of them back', async () => {
  linuxOnly('SIGKILL');
  const home = createFreshHome({
    cursor: mcp({ a: { command: 'x', env: { API_TOKEN: 'tok_0123456789' } } }),
    windsurf: mcp({ b: { command: 'y' } }),
  });
  const contents = () => Object.fromEntries(Object.entries(home.contents()).filter(([name]) => !name.endsWith('.tmp')));
  const before = contents();
  const states = new Set<string>();
  let steps = 1;
  // Every fourth: neighbours differ in nothing that is seen from outside.
  for (; steps < 3 * mostSteps && isKilled(home, steps, ['init', '--yes', '--connect', 'all']); steps += 4) {
    const now = contents();
    states.add(Object.keys(now).join() + String(now['.cursor/mcp.json'] === before['.cursor/mcp.json']));
    rmSync(join(home.path, '.local/state/mcp-workbench/journal.lock'), { recursive: true, force: true });
    if (isDeepStrictEqual(now, before)) continue;
    expect(await home.run('undo', '--yes')).toMatchObject({ code: 0 });
    expect(contents()).toEqual(before);
  }
  // Nothing, the secrets, the configuration, one client.
  expect(states.size).toBeGreaterThanOrEqual(4);
  expect(await home.run('undo', '--yes')).toMatchObject({ code: 0 });
  expect(contents()).toEqual(before);
}, 180_000);
