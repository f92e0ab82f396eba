import type { RpcMessage } from '../../jsonrpc/messages.js';
import type { ChannelHost } from './channel.js';
import { type Exchange, isModern } from './exchange.js';
import { brokenOff, type HttpProblem, unreachable } from './problems.js';

/** A server should close the stream after its response. */
export const lingerMs = 2_000;

/** The exchanges of a session that are not over. */
export interface Exchanges {
  add(exchange: Exchange): void;
  remove(exchange: Exchange): void;
  /** Whether it has no response so far. */
  isWaiting(exchange: Exchange): boolean;
  /** It will get no response. */
  failed(exchange: Exchange, problem: HttpProblem): void;
  /** Whether the message is a cancellation that need not be sent. */
  isCancelled(message: RpcMessage): boolean;
  isOver(): boolean;
  /** Ends them all. */
  end(): void;
}

export function createExchanges(host: ChannelHost): Exchanges {
  const exchanges = new Set<Exchange>();
  let isOver = false;
  /** Why the session is over. */
  let forgotten: HttpProblem | undefined;

  function failed(exchange: Exchange, problem: HttpProblem): void {
    if (isOver || exchange.id === undefined) return;
    if (problem.kind === 'forgotten') {
      host.failed(exchange.id, problem);
      // Others that were sent in the session will get the same answer: they can be sent again too, once they have it.
      if (forgotten === undefined) setTimeout(() => endForgotten(problem), lingerMs).unref();
      forgotten ??= problem;
      return;
    }
    // Calls that have a response stream are not given up because another could not be sent.
    const isAlone = problem.isUnsent === true && waiting().every((other) => other === exchange);
    host.failed(exchange.id, isAlone ? problem : { ...problem, ...(problem.isUnsent && unreachable) });
    if (isAlone) host.ended(problem);
  }

  function isWaiting({ id }: Exchange): boolean {
    return id !== undefined && host.isPending(id);
  }

  function waiting(): Exchange[] {
    return [...exchanges].filter(({ id }) => id !== undefined);
  }

  function endForgotten(problem: HttpProblem): void {
    if (isOver) return;
    for (const { id } of waiting()) if (id !== undefined) host.failed(id, brokenOff(host.url));
    host.ended(problem);
  }

  /** With 2026-07-28 the end of the response stream is the cancellation; before, a message is, and the stream is not needed. */
  function isCancelled(message: RpcMessage): boolean {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return false;
    const requestId = message.params?.['requestId'];
    const exchange = waiting().find(({ id }) => id === requestId);
    if (isModern(message)) exchange?.abort.abort();
    else setTimeout(() => exchange?.abort.abort(), lingerMs).unref();
    return isModern(message);
  }

  return {
    add: (exchange) => void exchanges.add(exchange),
    remove(exchange) {
      exchanges.delete(exchange);
      if (forgotten !== undefined && !waiting().some(({ response }) => response === undefined)) endForgotten(forgotten);
    },
    isWaiting,
    failed,
    isCancelled,
    isOver: () => isOver,
    end() {
      isOver = true;
      for (const { abort } of exchanges) abort.abort();
    },
  };
}
