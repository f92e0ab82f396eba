import { failureFrom, isRequestId, type RequestId, type RpcMessage, type RpcRequest } from '../../jsonrpc/messages.js';
import type { Questions } from './questions.js';

export interface IncomingOptions {
  readonly questions: Pick<Questions, 'ask'>;
  readonly send: (message: RpcMessage) => void;
  readonly onToolsChanged: () => void;
}

/** Handles requests and notifications from the server. */
export function createIncoming({ questions, send, onToolsChanged }: IncomingOptions): (message: RpcMessage) => void {
  const running = new Map<RequestId, AbortController>();

  async function answer({ id, method, params }: RpcRequest): Promise<void> {
    const abort = new AbortController();
    running.set(id, abort);
    const asked = method === 'ping' ? {} : questions.ask({ method, ...(params && { params }) }, abort.signal);
    const reply = await Promise.resolve(asked).then(
      (result): RpcMessage => ({ jsonrpc: '2.0', id, result }),
      (error: unknown) => failureFrom(id, error),
    );
    if (running.get(id) === abort) running.delete(id);
    // A cancelled request gets no response.
    if (!abort.signal.aborted) send(reply);
  }

  return (message) => {
    if (!('method' in message)) return;
    if ('id' in message) {
      // A second request under the id of a pending one could not be answered: it is ignored.
      if (!running.has(message.id)) void answer(message).catch(() => {});
      return;
    }
    if (message.method === 'notifications/tools/list_changed') onToolsChanged();
    if (message.method !== 'notifications/cancelled') return;
    const id = message.params?.['requestId'];
    if (isRequestId(id)) running.get(id)?.abort();
  };
}
