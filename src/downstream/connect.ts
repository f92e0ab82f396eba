import path from 'node:path';
import type { StdioTarget } from '../config/config.js';
import type { Log } from '../platform/log.js';
import { type ConnectDownstream, DownstreamFailure } from '../workbench/ports/downstream.js';
import { createEraMemory, type EraMemory } from './era-memory.js';
import { createJournal } from './journal.js';
import { connect, type EraRecord } from './protocol/connect.js';
import { createServerLogs } from './server-logs.js';
import { minimalEnvironment } from './stdio/environment.js';
import { openStdioWire } from './stdio/open-wire.js';
import { createWatchdog } from './stdio/watchdog.js';
import type { World } from './world.js';

export interface Connector {
  readonly connect: ConnectDownstream;
  /** Writes everything that is still to be written: the logs of the servers and what was learned about them. */
  flush(): Promise<void>;
}

/** Connects to real servers. What belongs to the computer is made here, once for all of them. */
export function createConnector(world: World, log: Log): Connector {
  const { cwd, platform, cacheDirectory } = world;
  const environment = minimalEnvironment(world.env, platform);
  const watchdog = createWatchdog(platform, (problem) => log.warn(problem));
  const surroundings = { environment, cwd, platform, watchdog };
  const eras = createEraMemory(cacheDirectory && path.join(cacheDirectory, 'eras.json'));
  const logs = createServerLogs(world.logDirectory);

  return {
    async connect(server, listener, signal, agent) {
      const { target, limits } = server;
      if (target.kind === 'broken') throw new DownstreamFailure('unreachable', target.reason);
      if (target.kind === 'remote') {
        throw new DownstreamFailure(
          'unreachable',
          'servers reached by a url are not supported yet; use one with a command',
        );
      }
      const journal = createJournal(server, logs.of(server), log);
      const openWire = () => openStdioWire(target, limits, surroundings, journal);
      return connect(openWire, recordOf(target, eras), { server, listener, signal, agent, journal });
    },

    async flush() {
      eras.flush();
      await logs.flush();
    },
  };
}

function recordOf(target: StdioTarget, eras: EraMemory): EraRecord {
  return {
    isLegacy: () => eras.isLegacy(target),
    remember: () => eras.remember(target),
    forget: () => eras.forget(target),
  };
}
