import { expect, test } from 'vitest';
import { callLog } from '../support/call-log.js';
import { devToolbox } from '../support/configs.js';
import { linuxOnly } from '../support/platform.js';
import { fixture } from '../support/servers.js';
import { shareSessions } from '../support/shared.js';
import { leaveDeadSocket, raceOnce, raceWithKill } from '../support/start-race.js';

linuxOnly('counts processes in /proc');

const rounds = Array.from({ length: 20 }, (_, index) => index + 1);

test.each(rounds)(
  'fifty sessions at once have one host and one server, round %i',
  { timeout: 180_000 },
  async (round) => {
    const log = callLog();
    const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
    if (round % 2 === 0) await leaveDeadSocket(shared);
    await raceOnce(shared, 50);
    expect(shared.hosts()).toHaveLength(1);
    expect(log.methods('start')).toHaveLength(1);
    expect(log.methods('tools/call')).toHaveLength(50);
  },
);

test.each(rounds)(
  'fifty sessions at once have one host and one server in the end when the winner is killed, round %i',
  { timeout: 180_000 },
  async () => {
    const log = callLog();
    const shared = shareSessions(devToolbox({ any: fixture('--log', log.path) }));
    await raceWithKill(shared, 50, log);
  },
);
