import type { ServerConfig, StdioTarget } from '../config/config.js';
import { messageOf } from '../errors.js';
import type { Log } from '../log.js';
import {
  type Downstream,
  DownstreamFailure,
  type DownstreamListener,
  failureOf,
  StartFailure,
} from '../workbench/downstream.js';
import { startChild } from './child.js';
import { minimalEnvironment } from './environment.js';
import { createMask } from './mask.js';
import { createRequests, type Requests } from './requests.js';
import { createServerLog, type ServerLog } from './server-log.js';
import { callTool, listTools } from './tools.js';
import { createWatchdog, type Watchdog } from './watchdog.js';
import { createWire } from './wire.js';
import type { World } from './world.js';

/** A server whose entry has a command. */
export interface StdioServer extends ServerConfig {
  readonly target: StdioTarget;
}

export type ConnectStdio = (
  server: StdioServer,
  listener: DownstreamListener,
  signal: AbortSignal,
) => Promise<Downstream>;

/** Connects to servers that are processes. One watchdog serves them all. */
export function createStdioConnector(world: World, log: Log): ConnectStdio {
  const watchdog = createWatchdog(world.platform, (problem) => log.warn(problem));
  const logs = new Map<string, ServerLog>();
  // Servers that end themselves over the question which revision they speak are asked only once.
  const knownLegacy = new Set<string>();

  function logOf({ toolbox, name }: ServerConfig, key: string): ServerLog | undefined {
    if (world.logDirectory === undefined) return undefined;
    const serverLog = logs.get(key) ?? createServerLog(world.logDirectory, { toolbox, name });
    logs.set(key, serverLog);
    return serverLog;
  }

  return async (server, listener, signal) => {
    const key = JSON.stringify([server.toolbox, server.name]);
    const connection = { world, watchdog, listener, signal, log, serverLog: logOf(server, key) };
    const protocol = server.protocol === 'auto' && knownLegacy.has(key) ? 'legacy' : server.protocol;
    try {
      return await connectStdio({ ...server, protocol }, connection);
    } catch (error) {
      const mayBeTheProbe = error instanceof StartFailure && error.kind === 'crashed' && protocol === 'auto';
      if (!mayBeTheProbe || signal.aborted) throw error;
      await error.cleanup;
      const downstream = await connectStdio({ ...server, protocol: 'legacy' }, connection);
      knownLegacy.add(key);
      return downstream;
    }
  };
}

/** What a connection needs of its surroundings. */
interface Connection {
  readonly world: World;
  readonly watchdog: Watchdog;
  readonly listener: DownstreamListener;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly serverLog: ServerLog | undefined;
}

async function connectStdio(server: StdioServer, connection: Connection): Promise<Downstream> {
  const { world, watchdog, listener, signal, log, serverLog } = connection;
  const mask = createMask(server.target);
  const note = (text: string) => serverLog?.write(`workbench: ${text}`);
  const warn = (text: string) => {
    log.warn(`${server.toolbox}/${server.name}: ${mask(text)}`);
    note(mask(text));
  };
  const starting = startChild(server.target, {
    env: new Map([...minimalEnvironment(world.env, world.platform), ...server.target.env]),
    cwd: world.cwd,
    platform: world.platform,
    watchdog,
    mask,
    onStderr: (line) => serverLog?.write(line),
  });
  starting.catch((error: unknown) => note(mask(messageOf(error))));
  // The SDK loads while the process starts.
  const loading = import('./handshake.js');
  loading.catch(() => {});
  const child = await starting;
  note(`started as process ${child.pid}`);

  const wire = createWire(child, server.limits);
  let failure: DownstreamFailure | undefined;
  let isConnected = false;
  const requests = createRequests(wire, {
    mask,
    warn,
    ended(reason) {
      failure = reason;
      note(reason === undefined ? 'stopped' : reason.message);
      if (reason !== undefined && isConnected) listener.ended(reason);
    },
  });
  const close = async () => {
    await wire.close();
    await serverLog?.flushed();
  };
  const stop = () => void wire.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const { shakeHands } = await loading;
    const { instructions, era } = await shakeHands(requests, {
      protocol: server.protocol,
      timeoutMs: server.limits.startTimeoutMs,
      onToolsChanged: () => listener.toolsChanged(),
      onError: (error) => warn(error.message),
    });
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    isConnected = true;
    note(`connected (${era})`);
    return createDownstream(server, requests, { instructions, warn, close });
  } catch (error) {
    const told = signal.aborted ? failureOf(signal) : failure;
    const failed =
      told ?? new DownstreamFailure('unreachable', `the MCP handshake failed: ${mask(messageOf(error))}`, error);
    throw new StartFailure(failed, close());
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

interface Ends {
  readonly instructions: string | undefined;
  readonly warn: (message: string) => void;
  readonly close: () => Promise<void>;
}

function createDownstream(
  { limits }: ServerConfig,
  requests: Requests,
  { instructions, warn, close }: Ends,
): Downstream {
  return {
    instructions,
    listTools: (signal) => listTools(requests, { signal, timeoutMs: limits.startTimeoutMs }, warn),
    callTool: (name, args, { signal, onProgress }) =>
      callTool(requests, name, args, {
        timeoutMs: limits.callTimeoutMs,
        totalTimeoutMs: limits.callTotalTimeoutMs,
        maxBytes: limits.maxResultBytes,
        ...(signal && { signal }),
        ...(onProgress && { onProgress }),
      }),
    close,
  };
}
