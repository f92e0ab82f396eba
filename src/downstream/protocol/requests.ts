import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { InFlight } from '../../jsonrpc/in-flight.js';
import { isRecord } from '../../jsonrpc/json.js';
import type { RpcFailure, RpcMessage, RpcResult } from '../../jsonrpc/messages.js';
import { DownstreamFailure, failureOf, type Progress } from '../../workbench/ports/downstream.js';
import type { Wire } from '../stdio/wire.js';
import { createDeadlines, type Deadline, never } from './deadlines.js';

// Numbers, because some servers take no strings.
const firstId = 1_000_001;

export interface RequestOptions {
  readonly signal?: CancelSignal;
  /** Without progress from the server for this long, the request is given up. Without a limit it waits until the end. */
  readonly timeoutMs?: number;
  /** However much progress there is, the request is given up after this long. */
  readonly totalTimeoutMs?: number;
  /** An answer of more bytes fails the request. */
  readonly maxBytes?: number;
  /** The server is asked to report progress: for what may take long. */
  readonly wantsProgress?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  /** Goes into `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Requests of ours on a connection, in either era. Their results pass as they are: nothing is checked or dropped. */
export interface Requests {
  request(method: string, params: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<unknown>;
  notify(method: string, params?: Readonly<Record<string, unknown>>): void;
  /** Stops the clocks of what is pending, e.g. while the user thinks; the function it gives starts them again. */
  pauseClocks(): () => void;
  /** Put into `_meta` of everything sent from now on. */
  setEnvelope(envelope: Readonly<Record<string, unknown>>): void;
}

export interface RequestsListener {
  /** Takes configured secrets out of a text of the server's. */
  mask(text: string): string;
  warn(message: string): void;
  /** A request or a notification of the server's. */
  incoming(message: RpcMessage): void;
  /** The connection ended: by itself with a failure, by a close of ours without. */
  ended(failure: DownstreamFailure | undefined): void;
}

/** A request that has not been answered. It is its own deadline: a second object per call would cost more. */
interface Pending extends Deadline {
  readonly id: number;
  readonly options: RequestOptions;
  readonly cancel: () => void;
  readonly resolve: (result: unknown) => void;
  readonly reject: (failure: DownstreamFailure) => void;
}

/** The server answered with a JSON-RPC error. */
export class RpcError extends DownstreamFailure {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: RpcFailure['error']) {
    super('protocol', `the server answered with error ${code}: ${message}`);
    this.code = code;
    this.data = data;
  }
}

export function createRequests(wire: Wire, listener: RequestsListener): Requests {
  const pending = new InFlight<Pending>();
  let nextId = firstId;
  let envelope: Readonly<Record<string, unknown>> = {};
  let isMarked = false;
  const deadlines = createDeadlines(
    () => pending.values(),
    (waiting: Pending, limitMs) => giveUp(waiting, late(limitMs)),
  );

  function receive(message: RpcMessage, bytes: number): void {
    if (!('method' in message)) answered(message, bytes);
    else if (message.method === 'notifications/progress') progressed(message.params);
    else listener.incoming(message);
  }

  function answered(message: RpcResult | RpcFailure, bytes: number): void {
    // One that nobody waits for may be late: its request was given up.
    const waiting = pending.get(message.id);
    if (waiting === undefined) return;
    const { maxBytes = Number.POSITIVE_INFINITY } = waiting.options;
    if ('error' in message && isRecord(message.error)) {
      fail(waiting, new RpcError({ ...message.error, message: listener.mask(message.error.message) }));
    } else if (bytes > maxBytes) {
      fail(waiting, tooLarge(bytes, maxBytes));
    } else {
      settle(waiting);
      waiting.resolve('result' in message ? message.result : undefined);
    }
  }

  function progressed(params: Readonly<Record<string, unknown>> | undefined): void {
    const waiting = pending.get(params?.['progressToken']);
    if (waiting === undefined || typeof params?.['progress'] !== 'number') return;
    const { progress, total, message } = params;
    deadlines.extend(waiting);
    waiting.options.onProgress?.({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  function settle({ id, options, cancel }: Pending): void {
    pending.delete(id);
    options.signal?.removeEventListener('abort', cancel);
  }

  function fail(waiting: Pending, failure: DownstreamFailure): void {
    settle(waiting);
    waiting.reject(failure);
  }

  function giveUp(waiting: Pending, failure: DownstreamFailure): void {
    fail(waiting, failure);
    notify('notifications/cancelled', { requestId: waiting.id, reason: failure.message });
  }

  wire.start({
    message: receive,
    lost(id, failure) {
      listener.warn(failure.message);
      const waiting = pending.get(id);
      if (waiting !== undefined) fail(waiting, failure);
    },
    noise: (bytes) => listener.warn(`a line of ${bytes} bytes on its stdout is no message`),
    ended(failure) {
      const reason = failure ?? new DownstreamFailure('cancelled', 'the workbench stopped it');
      for (const waiting of pending.values()) fail(waiting, reason);
      deadlines.stop();
      listener.ended(failure);
    },
  });

  /** The parameters with all that goes into `_meta`, if anything does. */
  function marked(
    params: Readonly<Record<string, unknown>>,
    { meta, wantsProgress }: RequestOptions,
    id: number,
  ): Readonly<Record<string, unknown>> {
    const hasOthers = isMarked || meta !== undefined;
    if (wantsProgress === true) {
      return { ...params, _meta: hasOthers ? { ...envelope, ...meta, progressToken: id } : { progressToken: id } };
    }
    return hasOthers ? { ...params, _meta: { ...envelope, ...meta } } : params;
  }

  function notify(method: string, params: Readonly<Record<string, unknown>> = {}): void {
    try {
      wire.send({ jsonrpc: '2.0', method, params: isMarked ? { ...params, _meta: envelope } : params });
    } catch {
      // Nobody is there to be told.
    }
  }

  return {
    notify,

    request(method, params, options) {
      const { signal, timeoutMs: idleMs = never, totalTimeoutMs: totalMs = never } = options;
      if (signal?.aborted === true) return Promise.reject(failureOf(signal));
      return new Promise<unknown>((resolve, reject) => {
        const id = nextId++;
        const since = performance.now();
        const [idleEnds, totalEnds] = [since + idleMs, since + totalMs];
        const cancel = () => signal && giveUp(waiting, failureOf(signal));
        const waiting = { id, since, idleMs, totalMs, idleEnds, totalEnds, options, cancel, resolve, reject };
        signal?.addEventListener('abort', cancel);
        pending.set(id, waiting);
        deadlines.watch(waiting);
        try {
          wire.send({ jsonrpc: '2.0', id, method, params: marked(params, options, id) });
        } catch (error) {
          fail(
            waiting,
            error instanceof DownstreamFailure
              ? error
              : new DownstreamFailure('protocol', 'it could not be sent', error),
          );
        }
      });
    },

    pauseClocks: () => deadlines.pause(),

    setEnvelope(keys) {
      envelope = keys;
      isMarked = true;
    },
  };
}

function late(ms: number): DownstreamFailure {
  return new DownstreamFailure('timeout', `no answer within ${ms} ms`);
}

function tooLarge(bytes: number, limit: number): DownstreamFailure {
  const text = `its result of ${bytes} bytes is over the limit maxResultBytes (${limit}). Ask for less, or raise the setting`;
  return new DownstreamFailure('too-large', text);
}
