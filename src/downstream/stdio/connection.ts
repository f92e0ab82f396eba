import path from 'node:path';
import type { ServerConfig, StdioTarget } from '../../config/config.js';
import { messageOf } from '../../contract/errors.js';
import type { Log } from '../../platform/log.js';
import type { Agent } from '../../workbench/ports/agent.js';
import {
  type CallOptions,
  type Downstream,
  DownstreamFailure,
  type DownstreamListener,
  failureOf,
  StartFailure,
} from '../../workbench/ports/downstream.js';
import { createEraMemory } from '../era-memory.js';
import { createMask } from '../mask.js';
import { type Handshake, shakeHands } from '../protocol/handshake.js';
import { createIncoming } from '../protocol/incoming.js';
import { createQuestions, type Questions } from '../protocol/questions.js';
import { createRequests, type RequestOptions, type Requests } from '../protocol/requests.js';
import { callTool, listTools, readResource } from '../protocol/tools.js';
import { createServerLog, type ServerLog } from '../server-log.js';
import type { World } from '../world.js';
import { startChild } from './child.js';
import { minimalEnvironment } from './environment.js';
import { createWatchdog, type Watchdog } from './watchdog.js';
import { createWire } from './wire.js';

/** A server whose entry has a command. */
export interface StdioServer extends ServerConfig {
  readonly target: StdioTarget;
}

type Protocol = ServerConfig['protocol'];

export type ConnectStdio = (
  server: StdioServer,
  listener: DownstreamListener,
  signal: AbortSignal,
  agent: Agent | undefined,
) => Promise<Downstream>;

/** Connects to servers that are processes. One watchdog serves them all. */
export function createStdioConnector(world: World, log: Log): ConnectStdio {
  const watchdog = createWatchdog(world.platform, (problem) => log.warn(problem));
  const eras = createEraMemory(world.cacheDirectory && path.join(world.cacheDirectory, 'eras.json'));
  const logs = new Map<string, ServerLog>();
  const environment = minimalEnvironment(world.env, world.platform);

  function logOf({ toolbox, name }: ServerConfig): ServerLog | undefined {
    if (world.logDirectory === undefined) return undefined;
    const key = JSON.stringify([toolbox, name]);
    const serverLog = logs.get(key) ?? createServerLog(world.logDirectory, { toolbox, name });
    logs.set(key, serverLog);
    return serverLog;
  }

  return async (server, listener, signal, agent) => {
    let isModern = false;
    const onModern = () => {
      isModern = true;
    };
    const connection = {
      world,
      environment,
      watchdog,
      listener,
      signal,
      agent,
      log,
      serverLog: logOf(server),
      onModern,
      onClosed: () => eras.flush(),
    };
    const connectAs = async (protocol: () => Protocol) => {
      const { downstream, era } = await connectStdio(server, protocol, connection);
      if (server.protocol === 'auto' && era === 'legacy') eras.remember(server.target);
      return downstream;
    };
    if (server.protocol !== 'auto') return connectAs(() => server.protocol);
    let isKnown = false;
    try {
      // Looked up while the process starts.
      return await connectAs(() => {
        isKnown = eras.isLegacy(server.target);
        return isKnown ? 'legacy' : 'auto';
      });
    } catch (error) {
      // What was known may be out of date: a server that has learned to speak only 2026-07-28 may be silent now.
      if (isKnown) eras.forget(server.target);
      if (signal.aborted || !mayDependOnEra(error)) throw error;
      await error.cleanup;
      if (isKnown) return connectAs(() => 'auto');
      // Some servers end themselves when they are asked which revision they speak. Others answer that, but so late that
      // they were taken for older ones.
      return connectAs(() => (isModern ? '2026-07-28' : 'legacy'));
    }
  };
}

/** It ended itself, or did not like the handshake: perhaps not the one it knows. */
function mayDependOnEra(error: unknown): error is StartFailure {
  return error instanceof StartFailure && (error.kind === 'crashed' || error.kind === 'unreachable');
}

/** What a connection needs of its surroundings. */
interface Connection {
  readonly world: World;
  /** What every server gets. */
  readonly environment: ReadonlyMap<string, string>;
  readonly watchdog: Watchdog;
  readonly listener: DownstreamListener;
  readonly signal: AbortSignal;
  readonly agent: Agent | undefined;
  readonly log: Log;
  readonly serverLog: ServerLog | undefined;
  /** The start failed, but the server has shown that it knows 2026-07-28. */
  readonly onModern: () => void;
  readonly onClosed: () => void;
}

interface Connected {
  readonly downstream: Downstream;
  readonly era: 'legacy' | 'modern';
}

async function connectStdio(server: StdioServer, protocol: () => Protocol, connection: Connection): Promise<Connected> {
  const { world, watchdog, listener, signal, agent, log, serverLog } = connection;
  const mask = createMask(server.target);
  const note = (text: string) => serverLog?.write(`workbench: ${text}`);
  const warn = (text: string) => {
    log.warn(`${server.toolbox}/${server.name}: ${mask(text)}`);
    note(mask(text));
  };
  const starting = startChild(server.target, {
    env: new Map([...connection.environment, ...server.target.env]),
    cwd: world.cwd,
    platform: world.platform,
    watchdog,
    mask,
    onStderr: (line) => serverLog?.write(line),
  });
  starting.catch((error: unknown) => note(mask(messageOf(error))));
  const child = await starting;
  note(`started as process ${child.pid}`);

  const wire = createWire(child, server.limits);
  let failure: DownstreamFailure | undefined;
  let isConnected = false;
  let isModern = false;
  const incoming = createIncoming({
    questions: { ask: (question, asked) => questions.ask(question, asked) },
    send: (message) => wire.send(message),
    onToolsChanged: () => listener.toolsChanged(),
  });
  const requests = createRequests(wire, {
    mask,
    warn,
    incoming,
    ended(reason) {
      failure = reason;
      note(reason === undefined ? 'stopped' : reason.message);
      if (reason !== undefined && isConnected) listener.ended(reason);
    },
  });
  const questions = createQuestions(agent, () => requests.pauseClocks());
  const close = async () => {
    await wire.close();
    connection.onClosed();
    await serverLog?.flushed();
  };
  const stop = () => void wire.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const hands = await shakeHands(requests, {
      protocol: protocol(),
      timeoutMs: server.limits.startTimeoutMs,
      agent,
      onModern: () => {
        isModern = true;
      },
      warn,
    });
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    isConnected = true;
    note(`connected (${hands.era})`);
    const downstream = createDownstream(server, requests, { hands, questions, warn, close });
    return { downstream, era: isModern ? 'modern' : hands.era };
  } catch (error) {
    if (isModern) connection.onModern();
    const told = signal.aborted ? failureOf(signal) : failure;
    const failed =
      told ?? new DownstreamFailure('unreachable', `the MCP handshake failed: ${mask(messageOf(error))}`, error);
    throw new StartFailure(failed, close());
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

interface Ends {
  readonly hands: Handshake;
  readonly questions: Questions;
  readonly warn: (message: string) => void;
  readonly close: () => Promise<void>;
}

function createDownstream({ limits }: ServerConfig, requests: Requests, ends: Ends): Downstream {
  const { hands, questions, warn, close } = ends;
  const requestOptions = ({ signal, onProgress, agent, meta }: CallOptions): RequestOptions => ({
    timeoutMs: limits.callTimeoutMs,
    totalTimeoutMs: limits.callTotalTimeoutMs,
    maxBytes: limits.maxResultBytes,
    meta: hands.metaFor(agent, meta),
    wantsProgress: true,
    signal,
    onProgress,
  });
  return {
    instructions: hands.instructions,
    listTools: (signal) => listTools(requests, { signal, timeoutMs: limits.startTimeoutMs }, warn),
    callTool: (name, args, options) =>
      questions.during(options.agent, () =>
        callTool(requests, name, args, options.continuation, requestOptions(options)),
      ),
    readResource: (uri, options) =>
      questions.during(options.agent, () => readResource(requests, uri, requestOptions(options))),
    close,
  };
}
