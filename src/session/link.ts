import type { Configuration } from '../config/read/configuration.js';
import type { RequestId, RpcFailure, RpcRequest, RpcResult } from '../jsonrpc/messages.js';
import type { Caller } from './caller.js';

/** Where the calls of a session run: an engine in this process, or the host behind a socket. */
export interface SessionLink {
  /** A request that needs the workbench, `tools/call` or `resources/read`. `line`: the same as the agent wrote it. */
  start(request: RpcRequest, caller: Caller, line?: Buffer): void;
  /** The agent cancelled a request. */
  cancel(requestId: unknown): void;
  /** From now on the progress of a request that came without a token is sent under this one, and at once what was last. */
  follow?(requestId: RequestId, token: string): void;
  /** The agent got so many characters of the result of a request that has ended. Only for one that was not sent as it came. */
  shown?(requestId: RequestId, chars: number): void;
  /** The agent responded to a question. */
  answered(message: RpcResult | RpcFailure): void;
  /** The agent's roots have changed. */
  rootsChanged(): void;
  /** The configuration was edited. */
  apply(configuration: Configuration): void;
  /** A line for the agent, in the next answer of `open_toolbox`; undefined: the last one no longer holds. */
  note(text: string | undefined): void;
  /** The agent has disconnected. Resolves when all that ran for it in this process has ended; a host ends its own. */
  close(): Promise<void>;
}

/** A request that has not been sent anywhere yet. */
export interface Pending {
  readonly request: RpcRequest;
  readonly caller: Caller;
  readonly line?: Buffer | undefined;
}

/** Opens the link with the first call, and another one after it was lost. `lost`: the requests that it had not passed on. */
export type OpenLink = (lost: (unsent: readonly Pending[]) => void) => Promise<SessionLink>;
