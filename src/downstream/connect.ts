import type { Log } from '../platform/log.js';
import { type ConnectDownstream, DownstreamFailure } from '../workbench/ports/downstream.js';
import { createStdioConnector } from './stdio/connection.js';
import type { World } from './world.js';

/** Reaches servers for real. */
export function createConnector(world: World, log: Log): ConnectDownstream {
  const connectStdio = createStdioConnector(world, log);
  return async (server, listener, signal, agent) => {
    const { target } = server;
    if (target.kind === 'broken') throw new DownstreamFailure('unreachable', target.reason);
    if (target.kind === 'remote') {
      throw new DownstreamFailure(
        'unreachable',
        'servers reached by a url are not supported yet; use one with a command',
      );
    }
    return connectStdio({ ...server, target }, listener, signal, agent);
  };
}
