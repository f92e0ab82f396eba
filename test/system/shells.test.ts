import { expect, test } from 'vitest';
import { devToolbox } from '../support/configs.js';
import { runnerOf } from '../support/hosts.js';
import { processesWith } from '../support/processes.js';
import { fixture } from '../support/servers.js';
import { startStopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { initialize, startWorkbench } from '../support/workbench.js';
import { withMounts } from './namespaces.js';

// The watchdog is a script for /bin/sh, which is another program on every system. Root puts each in its place.

const inPlaceOf = (program: string, ...paths: string[]) => paths.map((path) => `mount --bind ${program} ${path}`);

const shells: Record<string, string[]> = {
  dash: inPlaceOf('/bin/dash', '/bin/sh'),
  bash: inPlaceOf('/bin/bash', '/bin/sh'),
  mksh: inPlaceOf('/bin/mksh', '/bin/sh'),
  // As on Alpine, where the other programs are BusyBox as well.
  busybox: inPlaceOf('/bin/busybox', '/usr/bin/grep', '/usr/bin/sleep', '/bin/sh'),
};

test.each(Object.entries(shells))(
  'where /bin/sh is %s, kill -9 of what runs it leaves nothing of a stubborn server',
  async (_, mounts) => {
    const stubborn = fixture('--ignore-eof', '--ignore-sigterm', '--helper', 'child,setsid');
    const workbench = startWorkbench({ config: devToolbox({ any: stubborn }), through: withMounts(mounts.join('\n')) });
    await initialize(workbench);
    const open = { name: 'open_toolbox', arguments: { toolbox: 'dev' } };
    expect((await workbench.request('tools/call', open)).result).not.toHaveProperty('isError');
    // The workbench, the server and its two helpers.
    await until(() => processesWith(workbench.marker).length === 4);

    const elapsed = startStopwatch();
    process.kill(runnerOf(workbench), 'SIGKILL');
    await until(() => processesWith(workbench.marker).every(({ pid }) => pid === workbench.pid));
    expect(elapsed()).toBeLessThan(10_000);
  },
);
