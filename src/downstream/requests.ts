import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { DownstreamFailure, failureOf, type Progress } from '../workbench/downstream.js';

// Numbers, because some servers take no strings; far from where the SDK counts its own.
const firstId = 1_000_001;

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Without progress from the server for this long, the request is given up. */
  readonly timeoutMs: number;
  /** However much progress there is, the request is given up after this long. */
  readonly totalTimeoutMs?: number;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Requests of ours on a connection that the SDK's client shares. The SDK validates results and drops what it does not
 * know; a tool's result has to pass as it is. Everything that does not answer a request of ours goes on to the SDK.
 */
export interface Requests {
  /** What the SDK's client is connected to. */
  readonly transport: Transport;
  request(method: string, params: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<unknown>;
  /** Put into `_meta` of everything sent from now on. */
  setEnvelope(envelope: Readonly<Record<string, unknown>>): void;
  /** Fails what is pending. */
  end(failure: DownstreamFailure): void;
}

interface Pending {
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

export function createRequests(wire: Transport): Requests {
  const pending = new Map<unknown, Pending>();
  let nextId = firstId;
  let envelope: Readonly<Record<string, unknown>> = {};

  function take(message: JSONRPCMessage): boolean {
    if ('method' in message) return message.method === 'notifications/progress' && progressed(message.params);
    if (!('id' in message)) return false;
    const waiting = pending.get(message.id);
    if (waiting === undefined) return typeof message.id === 'number' && message.id >= firstId;
    if ('error' in message) waiting.reject(new RpcError(message.error.code, message.error.message));
    else waiting.resolve(message.result);
    return true;
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
      wire.onmessage = (message, extra) => {
        if (!take(message)) transport.onmessage?.(message, extra);
      };
      wire.onclose = () => transport.onclose?.();
      wire.onerror = (error) => transport.onerror?.(error);
      await wire.start();
    },
    send: (message, options) => wire.send(message, options),
    close: () => wire.close(),
    ...('pid' in wire && { pid: wire.pid, stderr: null }),
  };

  const withMeta = (params: Readonly<Record<string, unknown>>, meta: Readonly<Record<string, unknown>>) => ({
    ...params,
    _meta: { ...envelope, ...meta },
  });

  return {
    transport,

    request(method, params, { signal, timeoutMs, totalTimeoutMs, onProgress }) {
      const id = nextId++;
      return new Promise<unknown>((resolve, reject) => {
        const settle = () => {
          pending.delete(id);
          clearTimeout(quiet);
          clearTimeout(total);
          signal?.removeEventListener('abort', cancel);
        };
        const fail = (failure: DownstreamFailure) => {
          settle();
          reject(failure);
        };
        const giveUp = (failure: DownstreamFailure) => {
          fail(failure);
          const notice = { requestId: id, reason: failure.message };
          const cancelled = Object.keys(envelope).length > 0 ? withMeta(notice, {}) : notice;
          wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled }).catch(() => {});
        };
        const cancel = () => signal && giveUp(failureOf(signal));
        const late = (ms: number) => () => giveUp(new DownstreamFailure('timeout', `no answer within ${ms} ms`));
        const quiet = setTimeout(late(timeoutMs), timeoutMs);
        const total = totalTimeoutMs === undefined ? undefined : setTimeout(late(totalTimeoutMs), totalTimeoutMs);
        if (signal?.aborted === true) return fail(failureOf(signal));
        signal?.addEventListener('abort', cancel, { once: true });
        pending.set(id, {
          resolve: (result) => {
            settle();
            resolve(result);
          },
          reject: fail,
          progressed(progress) {
            quiet.refresh();
            onProgress?.(progress);
          },
        });
        wire.send({ jsonrpc: '2.0', id, method, params: withMeta(params, { progressToken: id }) }).catch(fail);
      });
    },

    setEnvelope(keys) {
      envelope = keys;
    },

    end(failure) {
      for (const waiting of pending.values()) waiting.reject(failure);
    },
  };
}
