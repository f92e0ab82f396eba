import { messageOf } from '../contract/errors.js';
import { failureFrom, type RpcFailure, type RpcMessage, type RpcRequest, type RpcResult } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import type { Caller } from './caller.js';

/** Serves the requests of one agent that need the workbench. */
export interface Calls {
  /** `tools/call` or `resources/read`. */
  start(request: RpcRequest, caller: Caller): void;
  /** The agent cancelled a request. */
  cancel(requestId: unknown): void;
  /** The agent responded to a question. */
  answered(message: RpcResult | RpcFailure): void;
  /** The agent's roots have changed. */
  rootsChanged(): void;
  /** The agent has disconnected. */
  close(): void;
}

/**
 * Loads the real implementation with the first call: a client waits at start-up for its first responses, and those do not
 * need it. Calls that arrive during loading are queued in order.
 */
export function createLazyCalls(load: () => Promise<Calls>, send: (message: RpcMessage) => void, log: Log): Calls {
  let calls: Calls | undefined;
  let isLoading = false;
  let isClosed = false;
  let waiting: { readonly request: RpcRequest; readonly caller: Caller }[] = [];

  function begin(loaded: Calls): void {
    calls = loaded;
    for (const { request, caller } of waiting.splice(0)) loaded.start(request, caller);
    if (isClosed) loaded.close();
  }

  /** The next call retries loading: a missing part may exist by then. */
  function fail(error: unknown): void {
    log.error(messageOf(error));
    isLoading = false;
    for (const { request } of waiting.splice(0)) send(failureFrom(request.id, error));
  }

  return {
    start(request, caller) {
      if (calls !== undefined) {
        calls.start(request, caller);
        return;
      }
      waiting.push({ request, caller });
      if (isLoading) return;
      isLoading = true;
      load().then(begin, fail);
    },
    cancel(requestId) {
      // A queued request has not been sent anywhere yet.
      waiting = waiting.filter(({ request }) => request.id !== requestId);
      calls?.cancel(requestId);
    },
    answered(message) {
      if (calls === undefined) log.warn('agent: ignored a response: no request is pending');
      else calls.answered(message);
    },
    // Before the first call no server has asked for them.
    rootsChanged: () => calls?.rootsChanged(),
    close() {
      isClosed = true;
      waiting = [];
      calls?.close();
    },
  };
}
