import { failureFrom, isRequestId, type RequestId, type RpcMessage, type RpcRequest } from '../../jsonrpc/messages.js';
import type { Questions } from './questions.js';

export interface IncomingOptions {
  readonly questions: Pick<Questions, 'ask'>;
  readonly send: (message: RpcMessage) => void;
  readonly onToolsChanged: () => void;
}

/** What a server asks and tells of its own accord. */
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
    // Whoever withdrew a question wants no answer to it.
    if (!abort.signal.aborted) send(reply);
  }

  return (message) => {
    if (!('method' in message)) return;
    if ('id' in message) {
      // Of two questions under one number only the first could be answered.
      if (!running.has(message.id)) void answer(message).catch(() => {});
      return;
    }
    if (message.method === 'notifications/tools/list_changed') onToolsChanged();
    if (message.method !== 'notifications/cancelled') return;
    const id = message.params?.['requestId'];
    if (isRequestId(id)) running.get(id)?.abort();
  };
}
