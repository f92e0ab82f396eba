import type { RpcFailure, RpcMessage, RpcResult } from '../json-rpc.js';
import { DownstreamFailure, failureOf, type Progress } from '../workbench/downstream.js';
import type { Wire } from './wire.js';

// Numbers, because some servers take no strings.
const firstId = 1_000_001;

export interface RequestOptions {
  readonly signal?: AbortSignal;
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

interface Pending {
  /** Runs out when the server is silent for too long. */
  readonly idle: Clock;
  /** Runs out when the request takes too long in all. */
  readonly total: Clock;
  readonly maxBytes: number;
  resolve(result: unknown): void;
  reject(failure: DownstreamFailure): void;
  progressed(progress: Progress): void;
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
  const pending = new Map<unknown, Pending>();
  let nextId = firstId;
  let envelope: Readonly<Record<string, unknown>> = {};
  let pauses = 0;

  function receive(message: RpcMessage, bytes: number): void {
    if (!('method' in message)) answered(message, bytes);
    else if (message.method === 'notifications/progress') progressed(message.params);
    else listener.incoming(message);
  }

  function answered(message: RpcResult | RpcFailure, bytes: number): void {
    // One that nobody waits for may be late: its request was given up.
    const waiting = pending.get(message.id);
    if (waiting === undefined) return;
    if ('error' in message) {
      waiting.reject(new RpcError({ ...message.error, message: listener.mask(message.error.message) }));
    } else if (bytes > waiting.maxBytes) waiting.reject(tooLarge(bytes, waiting.maxBytes));
    else waiting.resolve(message.result);
  }

  function eachClock(apply: (clock: Clock) => void): void {
    for (const { idle, total } of pending.values()) for (const clock of [idle, total]) apply(clock);
  }

  function progressed(params: Readonly<Record<string, unknown>> | undefined): void {
    const waiting = pending.get(params?.['progressToken']);
    if (waiting === undefined || typeof params?.['progress'] !== 'number') return;
    const { progress, total, message } = params;
    waiting.progressed({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  wire.start({
    message: receive,
    lost(id, failure) {
      listener.warn(failure.message);
      pending.get(id)?.reject(failure);
    },
    noise: (bytes) => listener.warn(`a line of ${bytes} bytes on its stdout is no message`),
    ended(failure) {
      const reason = failure ?? new DownstreamFailure('cancelled', 'the workbench stopped it');
      for (const waiting of pending.values()) waiting.reject(reason);
      listener.ended(failure);
    },
  });

  function notify(method: string, params: Readonly<Record<string, unknown>> = {}): void {
    const marked = Object.keys(envelope).length > 0 ? { ...params, _meta: envelope } : params;
    try {
      wire.send({ jsonrpc: '2.0', method, params: marked });
    } catch {
      // Nobody is there to be told.
    }
  }

  return {
    notify,

    request(method, params, options) {
      const {
        signal,
        timeoutMs,
        totalTimeoutMs,
        maxBytes = Number.POSITIVE_INFINITY,
        wantsProgress,
        onProgress,
        meta,
      } = options;
      const id = nextId++;
      return new Promise<unknown>((resolve, reject) => {
        const settle = () => {
          pending.delete(id);
          idle.pause();
          total.pause();
          signal?.removeEventListener('abort', cancel);
        };
        const fail = (failure: DownstreamFailure) => {
          settle();
          reject(failure);
        };
        const giveUp = (failure: DownstreamFailure) => {
          fail(failure);
          notify('notifications/cancelled', { requestId: id, reason: failure.message });
        };
        const cancel = () => signal && giveUp(failureOf(signal));
        const late =
          (ms = 0) =>
          () =>
            giveUp(new DownstreamFailure('timeout', `no answer within ${ms} ms`));
        const idle = createClock(timeoutMs, late(timeoutMs));
        const total = createClock(totalTimeoutMs, late(totalTimeoutMs));
        if (signal?.aborted === true) return fail(failureOf(signal));
        signal?.addEventListener('abort', cancel, { once: true });
        if (pauses === 0) for (const clock of [idle, total]) clock.run();
        pending.set(id, {
          idle,
          total,
          maxBytes,
          resolve(result) {
            settle();
            resolve(result);
          },
          reject: fail,
          progressed(progress) {
            idle.rewind();
            if (pauses === 0) idle.run();
            onProgress?.(progress);
          },
        });
        try {
          const marks = { ...envelope, ...meta, ...(wantsProgress && { progressToken: id }) };
          const hasMarks = Object.keys(marks).length > 0;
          wire.send({ jsonrpc: '2.0', id, method, params: hasMarks ? { ...params, _meta: marks } : params });
        } catch (error) {
          fail(
            error instanceof DownstreamFailure
              ? error
              : new DownstreamFailure('protocol', 'it could not be sent', error),
          );
        }
      });
    },

    pauseClocks() {
      pauses++;
      eachClock((clock) => clock.pause());
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        pauses--;
        if (pauses > 0) return;
        // The server can go on only now: what it has been silent for so far does not count.
        for (const { idle } of pending.values()) idle.rewind();
        eachClock((clock) => clock.run());
      };
    },

    setEnvelope(keys) {
      envelope = keys;
    },
  };
}

interface Clock {
  run(): void;
  pause(): void;
  /** Gives back the whole time; stops it. */
  rewind(): void;
}

/** Without a time it never runs out. */
function createClock(ms: number | undefined, onEnd: () => void): Clock {
  let timer: NodeJS.Timeout | undefined;
  let left = ms ?? 0;
  let since = 0;
  function pause(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left -= performance.now() - since;
  }
  return {
    run() {
      pause();
      if (ms === undefined) return;
      since = performance.now();
      timer = setTimeout(onEnd, Math.max(0, left));
    },
    pause,
    rewind() {
      pause();
      left = ms ?? 0;
    },
  };
}

function tooLarge(bytes: number, limit: number): DownstreamFailure {
  const text = `its result of ${bytes} bytes is over the limit maxResultBytes (${limit}). Ask for less, or raise the setting`;
  return new DownstreamFailure('too-large', text);
}
