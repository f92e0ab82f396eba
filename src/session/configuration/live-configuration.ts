import type { Configuration, FileFault } from '../../config/read/configuration.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { RequestId, RpcFailure, RpcMessage, RpcRequest, RpcResult } from '../../jsonrpc/messages.js';

/** Who sent a request, as far as it decides whether a person can be asked. */
export interface AskedCaller {
  readonly revision: string;
  readonly capabilities: JsonObject;
}

/** The session, as an edit that waits for a person needs it. */
export interface AskedSession {
  /** Who sent the last request. */
  caller(): AskedCaller;
  send(message: RpcMessage, inReplyTo?: RequestId): void;
}

/** Asks with the next call whether an edit may be applied. */
export interface EditGate {
  /** Whether it takes the request. `passOn` is called later, with another request if that is to be sent in its place. */
  takes(request: RpcRequest, caller: AskedCaller, passOn: (changed?: RpcRequest) => void): boolean;
  cancel(requestId: unknown): void;
  /** Whether this is the response to its question. */
  answered(message: RpcResult | RpcFailure): boolean;
}

/** The configuration that a session follows. */
export interface LiveConfiguration {
  /** The one in use. */
  readonly current: Configuration;
  /** The session has started with a faulty file. */
  readonly firstFault: FileFault | undefined;
  /** A line for the agent: why a newer one cannot be used. */
  readonly note: string | undefined;
  take(next: Configuration): void;
  setNote(text: string | undefined): void;
  /** Gets every change. */
  listener?: { readonly taken: (next: Configuration) => void; readonly noted: (text: string | undefined) => void };
  /** Whether calls are served by it: then other files were read as well. */
  readonly isServed: boolean;
  serve(): void;
  onserve?: () => void;
  session?: AskedSession;
  /** Undefined until an edit has waited. */
  gate?: EditGate;
}

export function createLiveConfiguration(first: Configuration): LiveConfiguration {
  let current = first;
  let note: string | undefined;
  let isServed = false;
  const live: LiveConfiguration = {
    get current() {
      return current;
    },
    firstFault: first.fault,
    get note() {
      return note;
    },
    get isServed() {
      return isServed;
    },
    serve() {
      isServed = true;
      live.onserve?.();
    },
    take(next) {
      current = next;
      live.listener?.taken(next);
    },
    setNote(text) {
      note = text;
      live.listener?.noted(text);
    },
  };
  return live;
}
