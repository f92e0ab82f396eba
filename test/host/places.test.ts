import { chmodSync, chownSync, renameSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { socketDirectory } from '../../src/platform/sockets/socket-directory.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly, rootOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { call, hostOf, shareSessions, textOf } from '../support/shared.js';
import { until } from '../support/until.js';
import { withMounts } from '../system/namespaces.js';

linuxOnly('namespaces');
rootOnly('namespaces');

const config = devToolbox({ any: fixture() });

describe('a session with other rights has another host', () => {
  test.each([
    ['in another network', ['unshare', '--net']],
    ['with other mounts', withMounts('')],
    ['with fewer descriptors', ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh']],
    ['without new privileges', ['setpriv', '--no-new-privs']],
    ['without a capability', ['setpriv', '--bounding-set', '-net_raw']],
  ])('%s', async (_, through) => {
    const shared = shareSessions(config);
    const [outside, inside] = [await shared.start(), await shared.start({ through })];
    expect(textOf(await call(outside, 'echo', { text: 'outside' }))).toContain('outside');
    expect(textOf(await call(inside, 'echo', { text: 'inside' }))).toContain('inside');
    expect(shared.hosts()).toHaveLength(2);
    expect(shared.servers()).toHaveLength(2);
    expect(inside.stderr()).not.toContain('warning');
  });
});

describe('no session connects to a host that runs, in a directory of sockets that', () => {
  test.each<readonly [string, string, (directory: string) => void]>([
    ['others can enter', 'is open to other users', (path) => chmodSync(path, 0o755)],
    ['belongs to another user', 'belongs to another user', (path) => chownSync(path, 12_345, 0)],
    ['is a symbolic link', 'is a symbolic link', replaceByLink],
  ])('%s: it runs its servers itself', async (_, reason, change) => {
    const shared = shareSessions(config);
    const parent = dirname(socketDirectory());
    const script = `mkdir -p '${parent}'; mount -t tmpfs -o mode=700 none '${parent}'`;
    const first = await shared.start({ through: withMounts(script) });
    await call(first, 'echo');
    const { pid } = hostOf(shared);
    // As the first session sees it.
    change(join(`/proc/${first.pid}/root`, socketDirectory()));
    const second = await shared.start({
      through: ['nsenter', `--mount=/proc/${first.pid}/ns/mnt`, `--wdns=${shared.cwd}`],
    });
    expect(textOf(await call(second, 'echo', { text: 'here' }))).toContain('here');
    expect(second.stderr()).toMatch(new RegExp(`this session runs its servers itself, .*${reason}`));
    expect(shared.servers()).toHaveLength(2);
    expect(hostOf(shared).pid).toBe(pid);
  });
});

test('cancel asks nobody in a directory of sockets that others can enter', async () => {
  const shared = shareSessions(config);
  const parent = dirname(socketDirectory());
  const script = `mkdir -p '${parent}'; mount -t tmpfs -o mode=700 none '${parent}'`;
  const session = await shared.start({ through: withMounts(script) });
  const answered = call(session, 'wait_for', { file: '/nowhere/at/all', say: 'waits' });
  const inside = { through: ['nsenter', `--mount=/proc/${session.pid}/ns/mnt`], env: { HOME: shared.home } };
  const id = await until(async () => /call +(\d+-\d+) .*"waits"/.exec((await runCommand(['ps'], inside)).stdout)?.[1]);
  const directory = join(`/proc/${session.pid}/root`, socketDirectory());
  chmodSync(directory, 0o755);
  const refused = await runCommand(['cancel', id], inside);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('is open to other users; its mode must be 0700');
  chmodSync(directory, 0o700);
  expect((await runCommand(['cancel', id], inside)).code).toBe(0);
  expect(textOf(await answered)).toMatch(/^Cancelled by the user/);
});

function replaceByLink(path: string): void {
  renameSync(path, `${path}-real`);
  symlinkSync(`${basename(path)}-real`, path);
}
