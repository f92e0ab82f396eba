import { messageOf } from '../contract/errors.js';
import { failureFrom, type RpcFailure, type RpcMessage, type RpcRequest, type RpcResult } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import type { Caller } from './caller.js';

/** Serves the requests of one agent that need the workbench. */
export interface Calls {
  /** `tools/call` or `resources/read`. */
  take(request: RpcRequest, caller: Caller): void;
  /** The agent no longer wants the result of a request. */
  cancel(requestId: unknown): void;
  /** The agent responds to a question. */
  answered(message: RpcResult | RpcFailure): void;
  /** The agent has gone. */
  close(): void;
}

/**
 * Loads what serves calls with the first of them: every start of a client waits for its first requests to be answered,
 * and those need nothing of it. What arrives meanwhile waits, in order.
 */
export function createLazyCalls(load: () => Promise<Calls>, send: (message: RpcMessage) => void, log: Log): Calls {
  let calls: Calls | undefined;
  let isLoading = false;
  let isClosed = false;
  let waiting: { readonly request: RpcRequest; readonly caller: Caller }[] = [];

  function begin(loaded: Calls): void {
    calls = loaded;
    for (const { request, caller } of waiting.splice(0)) loaded.take(request, caller);
    if (isClosed) loaded.close();
  }

  /** The next call tries again: a part that is missing may be there by then. */
  function fail(error: unknown): void {
    log.error(messageOf(error));
    isLoading = false;
    for (const { request } of waiting.splice(0)) send(failureFrom(request.id, new Error(messageOf(error))));
  }

  return {
    take(request, caller) {
      if (calls !== undefined) {
        calls.take(request, caller);
        return;
      }
      waiting.push({ request, caller });
      if (isLoading) return;
      isLoading = true;
      load().then(begin, fail);
    },
    cancel(requestId) {
      // Nothing has been done for a request that still waits.
      waiting = waiting.filter(({ request }) => request.id !== requestId);
      calls?.cancel(requestId);
    },
    answered(message) {
      if (calls === undefined) log.warn('agent: ignored a response: no request of ours is open');
      else calls.answered(message);
    },
    close() {
      isClosed = true;
      waiting = [];
      calls?.close();
    },
  };
}
