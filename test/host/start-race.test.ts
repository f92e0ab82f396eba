import { describe, expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { shareSessions } from '../support/shared.js';
import { expectOneHost, leaveDeadSocket, raceOnce, raceWithKill } from '../support/start-race.js';
import { until } from '../support/until.js';

linuxOnly('counts processes in /proc');

const fronts = 12;

describe('twelve sessions that make their first call at the same moment', () => {
  test.each(['no socket', 'a socket that nobody listens at'])(
    'have one host and no failure, with %s',
    async (found) => {
      const log = callLog();
      const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
      if (found !== 'no socket') await leaveDeadSocket(shared);
      const sessions = await raceOnce(shared, fronts);
      await expectOneHost(shared);
      expect(log.methods('start')).toHaveLength(1);
      expect(log.methods('tools/call')).toHaveLength(fronts);
      for (const session of sessions) expect(session.stderr()).not.toContain('warning');
    },
  );

  test('have one host again when the first one is killed', async () => {
    const shared = shareSessions(devToolbox({ any: fixture() }));
    const sessions = await raceOnce(shared, fronts);
    for (const { pid } of shared.hosts()) process.kill(pid, 'SIGKILL');
    await raceOnce(shared, fronts, { sessions, haveLost: true });
    await expectOneHost(shared);
    // That of the killed host ends by itself.
    await until(() => shared.servers().length === 1);
  });

  test('have one host in the end when the winner is killed in the race', async () => {
    const log = callLog();
    const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
    await raceWithKill(shared, fronts, log);
  });
});
