import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { type SharedSessions, shareSessions } from '../support/shared.js';
import { raceOnce } from '../support/start-race.js';

linuxOnly('counts processes in /proc');

const fronts = 12;

/** A socket that nobody listens at, as a host leaves it that was killed. */
async function leaveDeadSocket({ socket }: SharedSessions): Promise<void> {
  const code = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  await once(spawn(process.execPath, ['-e', code, socket]), 'close');
}

describe('twelve sessions that make their first call at the same moment', () => {
  test.each([1, 2, 3, 4, 5, 6])('have one host and no failure, round %i', async (round) => {
    const log = callLog();
    const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
    if (round % 2 === 0) await leaveDeadSocket(shared);
    const sessions = await raceOnce(shared, fronts);
    expect(shared.hosts()).toHaveLength(1);
    expect(log.methods('tools/call')).toHaveLength(fronts);
    for (const session of sessions) expect(session.stderr()).not.toContain('warning');
  });

  test('have one host again when the first one is killed', async () => {
    const shared = shareSessions(devToolbox({ any: fixture() }));
    const sessions = await raceOnce(shared, fronts);
    for (const { pid } of shared.hosts()) process.kill(pid, 'SIGKILL');
    await raceOnce(shared, fronts, sessions);
    expect(shared.hosts()).toHaveLength(1);
  });
});
