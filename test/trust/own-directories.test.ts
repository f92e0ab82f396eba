// @module-tag hostile
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { temporaryDirectory } from '../support/launch.js';
import { linuxOnly, rootOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { initialize, startWorkbench } from '../support/workbench.js';

linuxOnly('the places of logs and caches');

const config = devToolbox({ any: fixture() });

/** Runs a server for a moment; everything is written by then, and all of stderr is read. */
async function run(env: Record<string, string>, cwd?: string): Promise<string> {
  const workbench = startWorkbench({ config, env, ...(cwd !== undefined && { cwd }) });
  await initialize(workbench);
  const open = { name: 'open_toolbox', arguments: { toolbox: 'dev' } };
  expect(JSON.stringify(await workbench.request('tools/call', open))).toContain('servers_connected\\":1');
  // Its last lines are about what it writes when it ends.
  await endHosts();
  workbench.end();
  await workbench.exited;
  return workbench.stderr();
}

const filesIn = (directory: string) => readdirSync(directory, { recursive: true });

describe('a directory of ours that somebody else prepared', () => {
  const traps: Record<string, (directory: string, dir: string) => string> = {
    'can be written to by everyone': (directory) => {
      mkdirSync(directory);
      chmodSync(directory, 0o777);
      return 'can be written to by other users';
    },
    'belongs to somebody else': (directory) => {
      rootOnly('another user');
      mkdirSync(directory);
      chownSync(directory, 65_534, 65_534);
      return 'belongs to another user';
    },
    'is a link': (directory, dir) => {
      mkdirSync(join(dir, 'elsewhere'));
      symlinkSync(join(dir, 'elsewhere'), directory);
      return 'is a symbolic link';
    },
  };

  test.each(Object.entries(traps))('is not written to if it %s, and one warning says why', async (_, prepare) => {
    const dir = realpathSync(temporaryDirectory());
    const env = { XDG_STATE_HOME: join(dir, 'state'), XDG_CACHE_HOME: join(dir, 'cache') };
    mkdirSync(env.XDG_STATE_HOME);
    mkdirSync(env.XDG_CACHE_HOME);
    const own = join(env.XDG_STATE_HOME, 'mcp-workbench');
    const problem = prepare(own, dir);
    const stderr = await run(env);
    expect(stderr.split('\n').filter((line) => line.includes(problem))).toEqual([
      `mcp-workbench warning: no log files of servers are written: ${own} ${problem}`,
    ]);
    expect(filesIn(own)).toEqual([]);
    // The other one is used.
    expect(filesIn(env.XDG_CACHE_HOME).length).toBeGreaterThan(1);
    const trust = await runCommand(['trust', dir, '--yes'], { env });
    expect(trust.code).toBe(1);
    expect(trust.stderr).toContain(problem);
  });

  test('costs the caches only', async () => {
    const dir = realpathSync(temporaryDirectory());
    const env = { XDG_STATE_HOME: join(dir, 'state'), XDG_CACHE_HOME: join(dir, 'cache') };
    mkdirSync(join(env.XDG_CACHE_HOME, 'mcp-workbench'), { recursive: true });
    chmodSync(join(env.XDG_CACHE_HOME, 'mcp-workbench'), 0o777);
    expect(await run(env)).toContain('no caches are written');
    expect(filesIn(join(env.XDG_CACHE_HOME, 'mcp-workbench'))).toEqual([]);
    expect(filesIn(env.XDG_STATE_HOME)).toContain(join('mcp-workbench', 'logs', 'dev', 'any.log'));
  });
});

test('relative XDG_* do not lead into the working directory', async () => {
  const cwd = temporaryDirectory();
  const names = ['XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'];
  await run(Object.fromEntries(names.map((name) => [name, 'inside'])), cwd);
  expect(existsSync(join(cwd, 'inside'))).toBe(false);
});
