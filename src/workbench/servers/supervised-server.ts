import type { ServerConfig } from '../../config/config.js';
import type { Tool } from '../../contract/types.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { ToolResult } from '../../results/tool-result.js';
import type { Agent } from '../ports/agent.js';
import type { CallOptions, Downstream } from '../ports/downstream.js';
import type { ToolList, ToolSnapshot } from './tool-list.js';

/** A `known` listing survives sleep, so that listing a sleeping server does not start it. */
export type State =
  | { readonly is: 'asleep'; readonly known: Listing | undefined }
  | { readonly is: 'starting'; readonly start: Promise<Ready>; readonly abort: AbortController }
  | { readonly is: 'ready'; readonly ready: Ready; readonly since: number }
  | { readonly is: 'stopping'; readonly done: Promise<void>; readonly known: Listing | undefined }
  | { readonly is: 'closed' };

export interface Ready {
  /** Resolves when the connection has broken by itself. */
  readonly ended: Promise<void>;
  readonly downstream: Downstream;
  readonly tools: ToolList;
}

/** The tools of a server as a value that does not change after the connection has ended. */
export interface Listing {
  readonly tools: ToolSnapshot;
  readonly instructions: string | undefined;
}

export interface StartOptions {
  /** The agent that the server is started for. */
  readonly agent?: Agent | undefined;
  readonly signal?: CancelSignal | undefined;
  /** How long to wait for a start, which continues. Without a limit: for as long as it takes. */
  readonly limitMs?: number;
}

/** One configured server, running or not. Starts it on demand, never twice at a time. */
export interface Supervisor {
  readonly server: ServerConfig;
  /** The tools. Starts the server, unless it is asleep and its tools are known. */
  list(options?: StartOptions): Promise<Listing>;
  /**
   * Runs one call. It is sent at most once: a call whose outcome is unknown is never retried. `judged`: the entry by whose rules
   * it may be sent; throws `EntryChanged`, and sends nothing, if that is no longer the entry.
   */
  call(tool: string, args: JsonObject, options: CallOptions, judged?: ServerConfig): PromiseLike<ToolResult>;
  /** The tool, if the server is ready and its list is up to date. */
  readyTool(name: string): Tool | undefined;
  /** Its live tools. Starts the server if needed. */
  wake(options?: StartOptions): Promise<{ readonly tools: ToolList }>;
  /** Whether the last start that is over has failed. */
  hasFailed(): boolean;
  /** Whether a wait for its start has timed out since it was last ready. */
  isOverdue(): boolean;
  /** A wait for its start has timed out; the start continues. */
  markOverdue(): void;
  /** What the server wrote last, as a phrase, while it is starting. */
  lastWords(): Promise<string | undefined>;
  /** Reads a resource that a result of this server linked to. */
  readResource(uri: string, options: CallOptions): PromiseLike<JsonObject>;
  /** Whether it is ready, or asleep after its idle timeout. */
  isConnected(): boolean;
  /** Applies an entry with the same fingerprint: filters, limits, and how long a call waits for a start. Nothing is restarted. */
  adjust(server: ServerConfig, waitMs: number): void;
  /**
   * Its entry has changed or is gone: ends it when no call uses it any more, at the latest after `limitMs`. A start is given up.
   * Whatever has not reached the server goes to the successor, if there is one.
   */
  retire(limitMs: number, successor: (() => Supervisor) | undefined): Promise<void>;
  /** Stops it for good. */
  close(): Promise<void>;
}

/** The server could not be started, so nothing was sent to it. The cause says why. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted';
}

export function listingOf({ tools, downstream }: Ready): Listing {
  return { tools: tools.snapshot(), instructions: downstream.instructions };
}
