import { loadPart } from '../load-part.js';
import type { Log } from '../log.js';
import { type ConnectDownstream, DownstreamFailure } from '../workbench/downstream.js';
import type { ConnectStdio } from './stdio-connection.js';
import type { World } from './world.js';

/** Reaches servers for real. What that takes is loaded when the first one is wanted. */
export function createConnector(world: World, log: Log): ConnectDownstream {
  let connectStdio: Promise<ConnectStdio> | undefined;

  async function loadStdio(): Promise<ConnectStdio> {
    const { createStdioConnector } = await loadPart(() => import('./stdio-connection.js'));
    return createStdioConnector(world, log);
  }

  return async (server, listener, signal, agent) => {
    const { target } = server;
    if (target.kind === 'broken') throw new DownstreamFailure('unreachable', target.reason);
    if (target.kind === 'remote') {
      throw new DownstreamFailure(
        'unreachable',
        'servers reached by a url are not supported yet; use one with a command',
      );
    }
    connectStdio ??= loadStdio();
    return (await connectStdio)({ ...server, target }, listener, signal, agent);
  };
}
