import type { ServerConfig } from '../../config/config.js';
import type { Tool } from '../../contract/types.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import type { ToolResult } from '../../results/tool-result.js';
import type { Agent } from './agent.js';

/**
 * The port behind which a server is reached. The workbench knows nothing else of processes, pipes or HTTP.
 * A Downstream is one connection: it ends once; the next is made by connecting again.
 */
export interface Downstream {
  /** What the server says about itself and its tools. */
  readonly instructions: string | undefined;
  listTools(signal: AbortSignal): Promise<readonly Tool[]>;
  /** The result as the server sent it; under 2026-07-28 that may be `input_required`, to be called again with answers. */
  callTool(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<ToolResult>;
  readResource(uri: string, options: CallOptions): Promise<Readonly<Record<string, unknown>>>;
  /** Ends the connection and whatever was started for it; resolves when nothing of it is left. */
  close(): Promise<void>;
}

export interface DownstreamListener {
  /** The connection broke by itself. Not called for a close of ours, nor before the connection was made. */
  ended(failure: DownstreamFailure): void;
  toolsChanged(): void;
}

/** `agent`: on whose behalf, if anybody's; the server is offered what that agent can do. */
export type ConnectDownstream = (
  server: ServerConfig,
  listener: DownstreamListener,
  signal: AbortSignal,
  agent: Agent | undefined,
) => Promise<Downstream>;

export interface CallOptions {
  readonly signal?: CancelSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Who can be asked while the call runs. */
  readonly agent?: Agent;
  /** Goes down with the request: trace context and whatever else the agent's vendor put there. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Answers to an earlier `input_required` of the same call. */
  readonly continuation?: Continuation | undefined;
}

export interface Continuation {
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** The server's own, byte for byte. */
  readonly requestState?: string;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/**
 * - `unreachable`: nothing was started, or what was started is not an MCP server
 * - `crashed`: the process was there and ended by itself
 * - `timeout`, `cancelled`, `busy`, `too-large`: one call, the connection lives
 * - `protocol`: the server answered the call with a JSON-RPC error
 */
export type FailureKind = 'unreachable' | 'crashed' | 'timeout' | 'cancelled' | 'busy' | 'too-large' | 'protocol';

/** What went wrong behind the port. The message is a phrase that says what the server did; the place is added further up. */
export class DownstreamFailure extends Error {
  override readonly name = 'DownstreamFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** The connection was ending as the call was about to be sent. Nothing was: the call may go to the next connection. */
export class NotSent extends DownstreamFailure {}

/** A start that failed. It is told at once; what it left behind is still being removed, and a new start waits for that. */
export class StartFailure extends DownstreamFailure {
  readonly cleanup: Promise<void>;

  constructor({ kind, message, cause }: DownstreamFailure, cleanup: Promise<void>) {
    super(kind, message, cause);
    this.cleanup = cleanup;
  }
}

/** Why a signal gave up: the failure it was aborted with, or else that the agent did not want to wait any longer. */
export function failureOf(signal: CancelSignal): DownstreamFailure {
  const reason: unknown = signal.reason;
  return reason instanceof DownstreamFailure
    ? reason
    : new DownstreamFailure('cancelled', 'the agent cancelled the call');
}
