import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { failureFrom, isRequestId, type RequestId, type RpcMessage, type RpcRequest } from '../../jsonrpc/messages.js';
import { closedByUs } from './failures.js';
import type { Questions } from './questions.js';

export interface IncomingOptions {
  readonly questions: Pick<Questions, 'ask'>;
  readonly send: (message: RpcMessage) => void;
  readonly onToolsChanged: () => void;
}

/** Handles requests and notifications from the server. */
export interface Incoming {
  readonly receive: (message: RpcMessage) => void;
  /** The connection has ended: with a failure if the server ended it, without if we closed it. What was asked is withdrawn. */
  readonly end: (failure: DownstreamFailure | undefined) => void;
}

export function createIncoming({ questions, send, onToolsChanged }: IncomingOptions): Incoming {
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

  function receive(message: RpcMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) {
      // A second request under the id of a pending one could not be answered: it is ignored.
      if (!running.has(message.id)) void answer(message).catch(() => {});
      return;
    }
    if (message.method === 'notifications/tools/list_changed') onToolsChanged();
    if (message.method !== 'notifications/cancelled') return;
    const id = message.params?.['requestId'];
    if (isRequestId(id)) running.get(id)?.abort(withdrawn('the server withdrew its question'));
  }

  return {
    receive,
    end(failure) {
      const reason = failure ? withdrawn(`the server that asked was lost: ${failure.message}`) : closedByUs();
      const withdraw = () => {
        for (const abort of running.values()) abort.abort(reason);
      };
      // We close it after the end of calls, whose questions are being withdrawn for the reason of that.
      if (failure === undefined) setImmediate(withdraw);
      else withdraw();
    },
  };
}

/** The agent gets the reason with the end of the question. */
function withdrawn(reason: string): DownstreamFailure {
  return new DownstreamFailure('cancelled', reason);
}
