import type { ServerConfig, ServerLimits } from '../../config/config.js';
import type { DownstreamFailure } from '../../contract/downstream-failure.js';
import type { PackageVersion } from '../../contract/package-version.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { ToolResult } from '../../results/tool-result.js';
import type { Agent, QuestionBudget } from './agent.js';
import type { ListedTools } from './tool-cache.js';

/**
 * The port to a server. The workbench itself depends on no processes, pipes or HTTP.
 * A Downstream is one connection: it ends once; connecting again makes a new one.
 */
export interface Downstream {
  /** The server's own instructions on its tools. */
  readonly instructions: string | undefined;
  /** The title and description that it gives itself. */
  readonly about?: string | undefined;
  /** The protocol revision that was agreed on. */
  readonly revision?: string | undefined;
  /** The name and version that the server gives itself. */
  readonly software?: string | undefined;
  /** The package it is started from, if npm resolved it. */
  readonly package?: PackageVersion | undefined;
  /** Whether it was ready before, for another session. */
  readonly isJoined?: true | undefined;
  listTools(signal: AbortSignal): Promise<ListedTools>;
  /** The result as the server sent it; under 2026-07-28 that may be `input_required`, to be called again with answers. */
  callTool(name: string, args: JsonObject, options: CallOptions): PromiseLike<ToolResult>;
  readResource(uri: string, options: CallOptions): PromiseLike<JsonObject>;
  /** Other limits for the calls from now on. */
  adjust(limits: ServerLimits): void;
  /** Ends the connection and every process started for it; resolves when none is left. */
  close(): Promise<void>;
}

/** Gets what happens to a connection. */
export interface ConnectionListener {
  /** There is a process, or something like it, that the connection is being made to. A start may need two. */
  started(server: StartedServer): void;
  /** The connection was lost. Not called after `close`, nor before the connection was established. */
  ended(failure: DownstreamFailure): void;
  toolsChanged(): void;
}

export interface DownstreamListener extends ConnectionListener {
  /**
   * Other sessions use the connection as well, and it is theirs from now on: nothing more may be sent over it. Calls in flight
   * end as they would have, also after `close`. Connecting again gives another connection.
   */
  moved(): void;
}

export interface StartedServer {
  /** What the server wrote last beside its messages, as a phrase. No configured secret is in it. */
  lastWords(): Promise<string | undefined>;
  /** The file with all that it wrote. */
  readonly log: string | undefined;
  readonly pid?: number | undefined;
}

/** `agent`: the agent whose call caused the connection, if any; the server is offered its capabilities. */
export type ConnectDownstream = (
  server: ServerConfig,
  listener: DownstreamListener,
  signal: AbortSignal,
  agent: Agent | undefined,
) => Promise<Downstream>;

export interface CallOptions {
  readonly signal?: CancelSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** The agent that questions of this call go to. */
  readonly agent?: Agent;
  /** `_meta` to send with the request: trace context and vendors' keys. */
  readonly meta?: JsonObject | undefined;
  /** The limits of this call, on a connection that calls with others go through as well. */
  readonly limits?: ServerLimits | undefined;
  /** What earlier rounds of the same call have used up. */
  readonly budget?: QuestionBudget;
  /** The tool can only be called as a task. */
  readonly asTask?: true | undefined;
  /** Answers to an earlier `input_required` of the same call. */
  readonly continuation?: Continuation | undefined;
}

export interface Continuation {
  readonly inputResponses?: JsonObject;
  /** As the server sent it, byte for byte. */
  readonly requestState?: string;
}

export interface Progress {
  /** Undefined if only the message is new. */
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
}
