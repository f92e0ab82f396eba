import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { opened } from '../support/agents.js';
import { devToolbox } from '../support/configs.js';
import { endHosts } from '../support/hosts.js';
import { type LaunchOptions, temporaryDirectory } from '../support/launch.js';
import { fixture } from '../support/servers.js';
import { initialize, type RunningWorkbench, startWorkbench } from '../support/workbench.js';
import { asNobody, nobodyId } from './namespaces.js';

// Becoming another user needs root.

const config = devToolbox({ any: fixture() });

async function open(workbench: RunningWorkbench) {
  await initialize(workbench);
  const answer = await workbench.request('tools/call', { name: 'open_toolbox', arguments: { toolbox: 'dev' } });
  return opened(answer.result as never);
}

/** A home that belongs to the user `nobody`. */
function homeOfNobody(): string {
  const home = temporaryDirectory();
  chmodSync(home, 0o700);
  execFileSync('chown', [`${nobodyId}:${nobodyId}`, home]);
  return home;
}

describe('as a user without any rights', () => {
  test('servers work, and all that is written belongs to that user alone', async () => {
    const home = homeOfNobody();
    const workbench = startWorkbench(atHome(home));
    expect((await open(workbench)).servers_connected).toBe(1);
    workbench.end();
    expect((await workbench.exited).code).toBe(0);
    await endHosts();
    const written = readdirSync(home, { recursive: true, withFileTypes: true });
    const files = written.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    expect(files.length).toBeGreaterThan(0);
    for (const path of files)
      expect([path, statSync(path).uid, statSync(path).mode & 0o077]).toEqual([path, nobodyId, 0]);
  });

  test('a home that may not be written costs the logs, and no call', async () => {
    const home = homeOfNobody();
    execFileSync('chown', ['root:root', home]);
    chmodSync(home, 0o755);
    const workbench = startWorkbench(atHome(home));
    expect((await open(workbench)).servers_connected).toBe(1);
    workbench.end();
    expect((await workbench.exited).code).toBe(0);
    await endHosts();
    expect(readdirSync(home)).toEqual([]);
  });
});

// The configuration is in a directory that so far only root may enter.
const openUp = 'for one; do case $one in */workbench-config.json) chmod 0755 "${one%/*}";; esac; done; exec "$@"';

function atHome(home: string): LaunchOptions {
  return { config, env: { HOME: home }, cwd: home, through: ['sh', '-c', openUp, 'sh', ...asNobody()] };
}
