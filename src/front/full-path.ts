import type { Transport } from '@modelcontextprotocol/server';
import { messageOf } from '../contract/errors.js';
import { isRequest, type RpcMessage, rpcCode } from '../jsonrpc/messages.js';
import { loadPart } from '../platform/load-part.js';
import type { Log } from '../platform/log.js';
import type { Served } from './sdk-server.js';
import { type AgentWire, isMessage } from './stdio-wire.js';

/** Serves whatever comes, with the SDK, which is loaded for the first message that needs it. */
export interface FullPath {
  /** Whether the SDK is loaded, or about to be. */
  readonly isOpen: boolean;
  /** The agent has introduced itself elsewhere; the SDK is told so when it is loaded. */
  remember(message: RpcMessage): void;
  take(message: RpcMessage): void;
  /** The agent has gone. */
  close(): void;
}

export function createFullPath(served: () => Served, wire: AgentWire, log: Log): FullPath {
  const handshake: RpcMessage[] = [];
  let waiting: RpcMessage[] = [];
  let loading: Promise<void> | undefined;
  let deliver: ((message: RpcMessage) => void) | undefined;
  let onClose = () => {};

  async function load(): Promise<void> {
    const { serve, isSdkMessage } = await loadPart(() => import('./sdk-server.js'));
    const [first] = handshake;
    const told = first !== undefined && 'id' in first ? first.id : undefined;
    let isTold = told === undefined;
    const inner: Transport = {
      start: async () => {},
      async send(message) {
        // The agent has had this answer.
        if (!isTold && 'id' in message && message.id === told && !('method' in message)) begin();
        else if (isMessage(message)) wire.send(message);
      },
      close: async () => wire.close(),
    };
    const pass = (message: RpcMessage) => {
      if (isSdkMessage(message)) inner.onmessage?.(message);
    };
    const begin = () => {
      isTold = true;
      for (const message of [...handshake.slice(1), ...waiting]) pass(message);
      waiting = [];
      deliver = pass;
    };
    serve(served(), inner, log);
    onClose = () => inner.onclose?.();
    wire.onerror = (error) => inner.onerror?.(error);
    if (first === undefined) begin();
    else pass(first);
  }

  /** What cannot be served is refused; the usual messages do not depend on it. */
  function refuse(error: unknown): void {
    log.error(messageOf(error));
    loading = undefined;
    for (const message of waiting.splice(0)) {
      if (isRequest(message)) {
        const { id } = message;
        wire.send({ jsonrpc: '2.0', id, error: { code: rpcCode.internalError, message: messageOf(error) } });
      }
    }
  }

  return {
    get isOpen() {
      return loading !== undefined;
    },
    remember: (message) => void handshake.push(message),
    close: () => onClose(),
    take(message) {
      if (deliver !== undefined) {
        deliver(message);
        return;
      }
      // Nobody waits for a notification or an answer that has nothing to do with any request before it.
      if (loading === undefined && !isRequest(message)) {
        if (!('method' in message)) log.warn('agent: an answer to nothing that was asked is ignored');
        return;
      }
      waiting.push(message);
      loading ??= load().catch(refuse);
    },
  };
}
