import { rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { socketDirectory } from '../../src/status/socket-directory.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly, rootOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { call, hostOf, shareSessions, textOf } from '../support/shared.js';
import { withMounts } from '../system/namespaces.js';

linuxOnly('namespaces');
rootOnly('namespaces');

const config = devToolbox({ any: fixture() });
const directory = socketDirectory();
const ownServers = 'this session runs its servers itself';

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

describe('a directory of sockets that', () => {
  test.each([
    ['others can enter', 'chmod 755 "$run"', 'is open to other users'],
    ['belongs to another user', 'chown 12345 "$run"', 'belongs to another user'],
    ['cannot be written to', 'mount -o remount,ro "$run"', ''],
  ])('%s is not used: the session runs its servers itself, and says so once', async (_, change, reason) => {
    const shared = shareSessions(config);
    const script = `run='${directory}'; mkdir -p "$run"; mount -t tmpfs -o mode=700 none "$run"; ${change}`;
    const session = await shared.start({ through: withMounts(script) });
    for (const text of ['one', 'two']) expect(textOf(await call(session, 'echo', { text }))).toContain(text);
    expect(shared.hosts()).toEqual([]);
    expect(session.stderr().split(ownServers)).toHaveLength(2);
    expect(session.stderr()).toContain(reason);
  });
});

test('a home whose path is too long for a socket has its sockets elsewhere', async () => {
  const shared = shareSessions(config);
  const users = join(shared.dir, 'passwd');
  writeFileSync(users, `root:x:0:0:root:/root/${'long/'.repeat(18)}:/bin/sh\n`);
  onTestFinished(() => {
    try {
      rmdirSync('/tmp/mcp-workbench-0');
    } catch {
      // Somebody uses it.
    }
  });
  const script = `mount --bind '${users}' /etc/passwd; [ ! -d /run/user/0 ] || mount -t tmpfs -o mode=755 none /run/user/0`;
  const session = await shared.start({ through: withMounts(script) });
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  expect(session.stderr()).not.toContain('warning');
  expect(hostOf(shared).pid).toBeGreaterThan(0);
});

test('a full disk keeps the log of a session from being written, and nothing else', async () => {
  const shared = shareSessions(config);
  const script = `mount -t tmpfs -o size=4k none '${shared.home}'; head -c 8192 /dev/zero > '${shared.home}/full' || true`;
  const session = await shared.start({ through: withMounts(script) });
  for (const text of ['one', 'two']) expect(textOf(await call(session, 'echo', { text }))).toContain(text);
  expect(shared.hosts()).toHaveLength(1);
});
