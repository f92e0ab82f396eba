import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { rightsOf } from '../../src/serve/host/authority.js';
import { runCommand } from '../support/commands.js';
import { devToolbox } from '../support/configs.js';
import { intrude, refused, served } from '../support/host-intruder.js';
import { fixture } from '../support/servers.js';
import { call, hostOf, shareSessions, textOf } from '../support/shared.js';
import { until, untilHolds } from '../support/until.js';
import { withMounts } from './namespaces.js';

// Sandboxes with fewer rights than the host, or another view of the computer. Making them needs root, or a package.

const everything = ['bwrap', '--dev-bind', '/', '/'];

test.each<readonly [string, readonly string[], RegExp]>([
  ['that may not get new privileges', ['setpriv', '--no-new-privs'], /\(NoNewPrivs\)$/],
  ['without capabilities', ['setpriv', '--bounding-set=-all', '--inh-caps=-all'], /CapBnd/],
  ['in another group', ['setpriv', '--regid=12345', '--clear-groups'], /Gid/],
  ['with another file mask', ['sh', '-c', 'umask 0; exec "$@"', 'sh'], /\(Umask\)$/],
  ['with a lower limit', ['prlimit', '--nofile=200:200'], /\(Max open files\)$/],
  ['with its own mounts', ['unshare', '--mount'], /\(namespace mnt\)$/],
  ['with its own network', ['unshare', '--net'], /\(namespace net\)$/],
  ['with its own host name', ['unshare', '--uts'], /\(namespace uts\)$/],
  ['that is root in its own user namespace', ['unshare', '--user', '--map-root-user'], /namespace user/],
  ['in bwrap', everything, /namespace mnt/],
  ['in bwrap without a network', [...everything, '--unshare-net'], /namespace net/],
  ['in bwrap as another user', [...everything, '--unshare-user', '--uid', '1000'], /namespace user/],
  ['in bwrap with its own processes', [...everything, '--unshare-pid', '--proc', '/proc'], /not shown/],
  ['with its own processes', ['unshare', '--pid', '--fork', '--mount-proc'], /not shown/],
])('a host serves no process %s', async (_, through, why) => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  await call(await shared.start(), 'echo');
  expect(intrude(shared, through)).toEqual(refused(why));
  expect(intrude(shared, [])).toEqual(served);
});

test.each([
  ['that may not get new privileges', ['setpriv', '--no-new-privs']],
  ['in bwrap', everything],
])('a session %s has a host of its own, with its own rights', async (_, through) => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const session = await shared.start();
  await call(session, 'echo');
  const { pid } = hostOf(shared);
  const other = await shared.start({ through });
  expect(textOf(await call(other, 'echo', { text: 'here' }))).toContain('here');
  expect(shared.hosts().map((host) => host.pid)).toEqual(expect.arrayContaining([pid]));
  expect(shared.hosts()).toHaveLength(2);
  expect(other.stderr()).not.toContain('warning');
});

test('a session that cannot show its rights runs its servers itself, and list says why', async () => {
  const shared = shareSessions(devToolbox({ any: fixture() }));
  const through = withMounts('mount -o remount,ro,bind /proc || mount --bind -o ro /proc /proc');
  const session = await shared.start({ through });
  expect(textOf(await call(session, 'echo', { text: 'here' }))).toContain('here');
  const why = 'this process cannot show its rights to the host: EROFS';
  expect(session.stderr()).toContain(`this session runs its servers itself, it does not share them: ${why}`);
  await untilHolds(async () => {
    const { stdout } = await runCommand(['list', '--config', shared.file], { env: { HOME: shared.home } });
    expect(stdout).toContain(`runs its servers itself: ${why}`);
  });
});

test('a process in another root directory has other rights, and the rest of them shows nothing of it', async () => {
  // What is in /usr needs nothing from above it.
  const child = spawn('chroot', ['/usr', '/bin/sleep', '600']);
  onTestFinished(() => void child.kill());
  const pid = child.pid ?? 0;
  await until(() => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n');
  const [own, its] = [rightsOf('self'), rightsOf(pid)];
  expect([...own.keys()].filter((name) => own.get(name) !== its.get(name))).toEqual(['root directory']);
});
