import { type DownstreamFailure, failureOf } from '../../contract/downstream-failure.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { InFlight } from '../../jsonrpc/in-flight.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import { Reply } from '../../jsonrpc/reply.js';
import { maxOtherMessageBytes } from '../../limits.js';
import type { CallSizes } from '../../results/tool-result.js';
import type { Progress } from '../../workbench/ports/downstream.js';
import { createDeadlines, type Deadline, never } from './deadlines.js';
import { closedByUs, resultTooLarge, timedOut } from './failures.js';
import type { HeaderList } from './wire.js';

/** What limits are called in the configuration. */
export interface LimitSettings {
  /** `timeoutMs` */
  readonly idle: string;
  /** `totalTimeoutMs` */
  readonly total: string;
  /** `maxBytes` */
  readonly bytes: string;
}

export interface RequestOptions {
  readonly signal?: CancelSignal | undefined;
  /** Without progress from the server for this long, the request is cancelled. Without a limit it stays pending. */
  readonly timeoutMs?: number;
  /** However much progress there is, the request is cancelled after this long. */
  readonly totalTimeoutMs?: number;
  /** A larger response fails the request and is not parsed. */
  readonly maxBytes?: number;
  /** The settings that raise these limits. */
  readonly settings?: LimitSettings;
  /** Gets the sizes of the request and its response. */
  readonly sizes?: CallSizes;
  /** Called with the size of the response. */
  readonly onBytes?: (bytes: number) => void;
  /** A large response may be returned as a ToolPage. */
  readonly mayBePage?: boolean;
  /** Asks the server to report progress. */
  readonly wantsProgress?: boolean;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** It stands for several requests, and is not sent itself. */
  readonly isHeld?: true;
  /** Goes into `_meta`. */
  readonly meta?: JsonObject | undefined;
  /** Sent with the message, on a wire that has headers. */
  readonly headers?: HeaderList | undefined;
}

/** A request that has not been answered. It is its own reply and deadline: more objects per call would cost more. */
export class PendingRequest extends Reply<unknown> implements Deadline {
  readonly id: number;
  readonly options: RequestOptions;
  readonly since = performance.now();
  readonly idleMs: number;
  readonly totalMs: number;
  idleEnds: number;
  totalEnds: number;
  /** To be called when the signal of the request aborts. */
  cancel: (() => void) | undefined = undefined;

  constructor(id: number, options: RequestOptions) {
    super();
    this.id = id;
    this.options = options;
    const { timeoutMs = never, totalTimeoutMs = never } = options;
    this.idleMs = timeoutMs;
    this.totalMs = totalTimeoutMs;
    this.idleEnds = this.since + timeoutMs;
    this.totalEnds = this.since + totalTimeoutMs;
  }
}

/** The requests of a connection that have not been answered, and their limits. */
export interface PendingRequests {
  get(id: unknown): PendingRequest | undefined;
  all(): readonly PendingRequest[];
  add(request: PendingRequest): void;
  /** The response has this size: if it is too large, the request has failed. Returns whether the response may be read. */
  measured(request: PendingRequest, bytes: number): boolean;
  answer(request: PendingRequest, result: unknown): void;
  fail(request: PendingRequest, failure: Error): void;
  /** There is progress. */
  extend(request: PendingRequest): void;
  /** Pauses all limits. The returned function resumes them. */
  pauseClocks(): () => void;
  /** Nothing will be answered any more. */
  end(reason: DownstreamFailure | undefined): void;
}

/** `cancelled`: the server need not go on with a request. */
export function createPendingRequests(
  cancelled: (request: PendingRequest, failure: DownstreamFailure) => void,
): PendingRequests {
  const pending = new InFlight<PendingRequest>();
  const deadlines = createDeadlines(
    () => pending.values(),
    (request: PendingRequest, limit) =>
      giveUp(request, timedOut(request[`${limit}Ms`], request.options.settings?.[limit])),
  );

  function settle({ id, options, cancel }: PendingRequest): void {
    pending.delete(id);
    if (cancel !== undefined) options.signal?.removeEventListener('abort', cancel);
  }

  function fail(request: PendingRequest, failure: Error): void {
    settle(request);
    request.reject(failure);
  }

  function giveUp(request: PendingRequest, failure: DownstreamFailure): void {
    fail(request, failure);
    cancelled(request, failure);
  }

  return {
    get: (id) => pending.get(id),
    all: () => pending.values(),
    add(request) {
      const { signal } = request.options;
      if (signal !== undefined) {
        request.cancel = () => giveUp(request, failureOf(signal));
        signal.addEventListener('abort', request.cancel);
      }
      pending.set(request.id, request);
      deadlines.watch(request);
    },
    measured(request, bytes) {
      const { maxBytes = maxOtherMessageBytes, onBytes, sizes } = request.options;
      onBytes?.(bytes);
      if (sizes !== undefined) sizes.received = bytes;
      if (bytes <= maxBytes) return true;
      fail(request, tooLarge(request, bytes));
      return false;
    },
    answer(request, result) {
      settle(request);
      request.resolve(result);
    },
    fail,
    extend: (request) => deadlines.extend(request),
    pauseClocks: () => deadlines.pause(),
    end(reason) {
      for (const request of pending.values()) fail(request, reason ?? closedByUs());
      deadlines.stop();
    },
  };
}

export function tooLarge({ options }: PendingRequest, bytes: number): DownstreamFailure {
  return resultTooLarge(bytes, options.maxBytes ?? maxOtherMessageBytes, options.settings?.bytes);
}
