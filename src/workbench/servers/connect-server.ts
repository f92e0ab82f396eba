import type { ServerConfig } from '../../config/config.js';
import { type DownstreamFailure, StartFailure } from '../../contract/downstream-failure.js';
import type { Log } from '../../platform/log.js';
import type { Agent } from '../ports/agent.js';
import type { ConnectDownstream, Downstream, DownstreamListener } from '../ports/downstream.js';
import type { KnownTools, ListedTools } from '../ports/tool-cache.js';
import type { Ready } from './supervised-server.js';
import { createToolList, type ToolList } from './tool-list.js';

export interface ServerToConnect {
  /** Its entry as it is at the moment. */
  readonly server: () => ServerConfig;
  readonly connect: ConnectDownstream;
  readonly learn: (server: ServerConfig, known: KnownTools) => void;
  readonly log: Log;
}

export interface ConnectEvents extends Omit<DownstreamListener, 'toolsChanged'> {
  /** Called before anything else can happen to the connection. */
  ready(ready: Ready): void;
}

/** A start that failed with its cause; a new one waits for the cleanup. */
export class Unready extends Error {
  override readonly name = 'Unready';
  readonly cleanup: Promise<void>;

  constructor(cause: unknown, cleanup: Promise<void>) {
    super('the start failed', { cause });
    this.cleanup = cleanup;
  }
}

/** Connects to a server and lists its tools. */
export async function connectServer(
  { server, connect, learn, log }: ServerToConnect,
  events: ConnectEvents,
  signal: AbortSignal,
  agent: Agent | undefined,
): Promise<Ready> {
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });
  const listener = {
    started: events.started,
    ended(failure: DownstreamFailure) {
      events.ended(failure);
      markEnded();
    },
    moved() {
      events.moved();
      markEnded();
    },
    toolsChanged() {
      if (tools === undefined) changedEarly = true;
      else tools.changed();
    },
  };
  let downstream: Downstream | undefined;
  let tools: ToolList | undefined;
  let changedEarly = false;
  try {
    downstream = await connect(server(), listener, signal, agent);
    const connected = downstream;
    const learnTools = (listed: ListedTools) => learn(server(), knownFrom(connected, listed));
    tools = await createToolList(server, connected, signal, learnTools, log);
    // They may have been adjusted since the start.
    downstream.adjust(server().limits);
    if (changedEarly) tools.changed();
    signal.throwIfAborted();
    const ready = { downstream, tools, ended };
    events.ready(ready);
    return ready;
  } catch (error) {
    throw new Unready(
      error,
      error instanceof StartFailure ? error.cleanup : (downstream?.close() ?? Promise.resolve()),
    );
  }
}

/** What is kept of a listing for later runs. */
export function knownFrom(
  { instructions, about, package: from }: Downstream,
  { tools, omissions }: ListedTools,
): KnownTools {
  return { tools, omissions, instructions, about, ...(from && { package: from }) };
}
