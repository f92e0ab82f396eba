import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../json.js';
import { keepRaw, resultBytes } from '../raw-result.js';
import { DownstreamFailure, failureOf, type Progress } from '../workbench/downstream.js';
import type { Wire } from './wire.js';

// Numbers, because some servers take no strings; far from where the SDK counts its own.
const firstId = 1_000_001;
const worthPassingOn = 16_384;

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Without progress from the server for this long, the request is given up. */
  readonly timeoutMs: number;
  /** However much progress there is, the request is given up after this long. */
  readonly totalTimeoutMs?: number;
  /** An answer of more bytes fails the request. */
  readonly maxBytes?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Goes into `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/**
 * Requests of ours on a connection that the SDK's client shares. The SDK validates results and drops what it does not
 * know; a tool's result has to pass as it is. Everything that does not answer a request of ours goes on to the SDK.
 */
export interface Requests {
  /** What the SDK's client is connected to. */
  readonly transport: Transport;
  /** Whether the server has shown, perhaps too late, that it knows 2026-07-28. */
  readonly isModern: boolean;
  request(method: string, params: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<unknown>;
  /** Stops the clocks of what is pending, e.g. while the user thinks; the function it gives starts them again. */
  pauseClocks(): () => void;
  /** Put into `_meta` of everything sent from now on. */
  setEnvelope(envelope: Readonly<Record<string, unknown>>): void;
}

export interface RequestsListener {
  /** Takes configured secrets out of a text of the server's. */
  mask(text: string): string;
  warn(message: string): void;
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

  constructor(code: number, message: string) {
    super('protocol', `the server answered with error ${code}: ${message}`);
    this.code = code;
  }
}

export function createRequests(wire: Wire, listener: RequestsListener): Requests {
  const pending = new Map<unknown, Pending>();
  let nextId = firstId;
  let envelope: Readonly<Record<string, unknown>> = {};
  let pauses = 0;
  let isModern = false;

  /** Whether the message answered a request of ours. */
  function take(message: JSONRPCMessage, raw: Buffer): boolean {
    if ('method' in message) return message.method === 'notifications/progress' && progressed(message.params);
    if (!('id' in message)) return false;
    const waiting = pending.get(message.id);
    if (waiting === undefined) return typeof message.id === 'number' && message.id >= firstId;
    if ('error' in message) waiting.reject(new RpcError(message.error.code, listener.mask(message.error.message)));
    else if (raw.length > waiting.maxBytes) waiting.reject(tooLarge(raw.length, waiting.maxBytes));
    else waiting.resolve(withBytes(message, raw));
    return true;
  }

  function eachClock(apply: (clock: Clock) => void): void {
    for (const { idle, total } of pending.values()) for (const clock of [idle, total]) apply(clock);
  }

  /** The SDK's probe may be answered after it was given up; the answer still tells what the server speaks. */
  function noticeLateProbe(message: JSONRPCMessage): void {
    if (!('result' in message) || typeof message.id !== 'string' || !isRecord(message.result)) return;
    if (message.id.startsWith('server-discover-probe') && 'supportedVersions' in message.result) isModern = true;
  }

  function progressed(params: Readonly<Record<string, unknown>> | undefined): boolean {
    const waiting = pending.get(params?.['progressToken']);
    if (waiting === undefined || typeof params?.['progress'] !== 'number') return false;
    const { progress, total, message } = params;
    waiting.progressed({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
    return true;
  }

  const transport: Transport = {
    async start() {
      wire.start({
        message: (message, raw) => {
          if (take(message, raw)) return;
          noticeLateProbe(message);
          transport.onmessage?.(message);
        },
        lost(id, failure) {
          listener.warn(failure.message);
          pending.get(id)?.reject(failure);
        },
        noise: (bytes) => listener.warn(`a line of ${bytes} bytes on its stdout is no message`),
        ended(failure) {
          transport.onclose?.();
          const reason = failure ?? new DownstreamFailure('cancelled', 'the workbench stopped it');
          for (const waiting of pending.values()) waiting.reject(reason);
          listener.ended(failure);
        },
      });
    },
    send: async (message) => wire.send(message),
    close: () => wire.close(),
    // These tell the SDK that a process is behind it, to be probed in place.
    ...{ pid: wire.pid, stderr: null },
  };

  function notify(method: string, params: Readonly<Record<string, unknown>>): void {
    const marked = Object.keys(envelope).length > 0 ? { ...params, _meta: envelope } : params;
    try {
      wire.send({ jsonrpc: '2.0', method, params: marked });
    } catch {
      // Nobody is there to be told.
    }
  }

  return {
    transport,
    get isModern() {
      return isModern;
    },

    request(method, params, options) {
      const { signal, timeoutMs, totalTimeoutMs, maxBytes = Number.POSITIVE_INFINITY, onProgress, meta } = options;
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
        const late = (ms: number) => () => giveUp(new DownstreamFailure('timeout', `no answer within ${ms} ms`));
        const idle = createClock(timeoutMs, late(timeoutMs));
        const total = createClock(totalTimeoutMs, late(totalTimeoutMs ?? 0));
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
          wire.send({
            jsonrpc: '2.0',
            id,
            method,
            params: { ...params, _meta: { ...envelope, ...meta, progressToken: id } },
          });
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

/** Large results go on as the bytes they came in; for small ones writing anew costs nothing. */
function withBytes(message: Extract<JSONRPCMessage, { result: unknown }>, raw: Buffer): unknown {
  const { result } = message;
  const bytes = raw.length < worthPassingOn || !isRecord(result) ? undefined : resultBytes(raw, { ...message });
  if (bytes !== undefined && isRecord(result)) keepRaw(result, bytes);
  return result;
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
