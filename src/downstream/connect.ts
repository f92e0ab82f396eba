import type { ServerConfig, StdioTarget } from '../config/config.js';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import {
  type ConnectDownstream,
  type Downstream,
  DownstreamFailure,
  type DownstreamListener,
  failureOf,
} from '../workbench/downstream.js';
import { startChild, type World } from './child.js';
import { minimalEnvironment } from './environment.js';
import { createMask } from './mask.js';
import { createRequests, type Requests } from './requests.js';
import { createStdioTransport, type StdioTransport } from './stdio-transport.js';
import { callTool, listTools } from './tools.js';

/** Reaches servers for real. Nothing of the SDK is loaded before the first one is wanted. */
export function createConnector(world: World, log: Log): ConnectDownstream {
  // Servers that end themselves over the question which revision they speak are asked only once.
  const knownLegacy = new WeakSet<ServerConfig>();

  return async (server, listener, signal) => {
    const { target } = server;
    if (target.kind === 'broken') throw new DownstreamFailure('unreachable', target.reason);
    if (target.kind === 'remote') {
      throw new DownstreamFailure(
        'unreachable',
        'servers reached by a url are not supported yet; use one with a command',
      );
    }
    const connectAs = (protocol: ServerConfig['protocol']) =>
      connectStdio({ ...server, target, protocol }, world, listener, signal, log);
    const first = knownLegacy.has(server) && server.protocol === 'auto' ? 'legacy' : server.protocol;
    try {
      return await connectAs(first);
    } catch (error) {
      const mayBeTheProbe = error instanceof DownstreamFailure && error.kind === 'crashed' && first === 'auto';
      if (!mayBeTheProbe || signal.aborted) throw error;
      const downstream = await connectAs('legacy');
      knownLegacy.add(server);
      return downstream;
    }
  };
}

interface StdioServer extends ServerConfig {
  readonly target: StdioTarget;
}

async function connectStdio(
  server: StdioServer,
  world: World,
  listener: DownstreamListener,
  signal: AbortSignal,
  log: Log,
): Promise<Downstream> {
  const mask = createMask(server.target);
  const label = `${server.toolbox}/${server.name}`;
  const env = new Map([...minimalEnvironment(world.env, world.platform), ...server.target.env]);
  // The process starts while the SDK loads.
  const [child, { shakeHands }] = await Promise.all([startChild(server.target, env, world), import('./handshake.js')]);
  const wire = createStdioTransport(child, server.limits, mask);
  const requests = createRequests(wire);
  const stop = () => void wire.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const hands = await shakeHands(requests, {
      protocol: server.protocol,
      timeoutMs: server.limits.startTimeoutMs,
      onToolsChanged: () => listener.toolsChanged(),
      onError: (error) => log.warn(`${label}: ${mask(error.message)}`),
    });
    signal.throwIfAborted();
    return createDownstream(server, wire, requests, hands.instructions, listener, (text) =>
      log.warn(`${label}: ${text}`),
    );
  } catch (error) {
    await wire.close();
    throw startFailure(wire, signal, mask, error);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function startFailure(
  wire: StdioTransport,
  signal: AbortSignal,
  mask: (text: string) => string,
  error: unknown,
): DownstreamFailure {
  if (signal.aborted) return failureOf(signal);
  return (
    wire.failure ?? new DownstreamFailure('unreachable', `the MCP handshake failed: ${mask(messageOf(error))}`, error)
  );
}

function createDownstream(
  { limits }: ServerConfig,
  wire: StdioTransport,
  requests: Requests,
  instructions: string | undefined,
  listener: DownstreamListener,
  warn: (message: string) => void,
): Downstream {
  const toClient = requests.transport.onclose;
  requests.transport.onclose = () => {
    toClient?.();
    const failure = wire.failure ?? new DownstreamFailure('cancelled', 'the workbench stopped the server');
    requests.end(failure);
    if (wire.failure !== undefined) listener.ended(wire.failure);
  };
  return {
    instructions,
    listTools: (signal) => listTools(requests, { signal, timeoutMs: limits.startTimeoutMs }, warn),
    callTool: (name, args, { signal, onProgress }) =>
      callTool(requests, name, args, {
        timeoutMs: limits.callTimeoutMs,
        totalTimeoutMs: limits.callTotalTimeoutMs,
        ...(signal && { signal }),
        ...(onProgress && { onProgress }),
      }),
    close: () => wire.close(),
  };
}
