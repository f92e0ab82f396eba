import { DownstreamFailure, failureOf, NotSent } from '../../contract/downstream-failure.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { RequestId, RpcMessage } from '../../jsonrpc/messages.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { type Reply, rejected } from '../../jsonrpc/reply.js';
import { maxOtherMessageBytes } from '../../limits.js';
import { createLimitedLog } from '../../platform/limited-log.js';
import type { Journal } from './journal.js';
import { createPendingRequests, PendingRequest, type RequestOptions, tooLarge } from './pending-requests.js';
import { createResponses } from './responses.js';
import type { HeldWork } from './tasks/host.js';
import type { LostMessage, Wire } from './wire.js';

// Numbers, because some servers accept no strings.
const firstId = 1_000_001;

/** Our requests on a connection, in either era. Results are neither checked nor changed. */
export interface Requests {
  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown>;
  /** The same for calls of tools, which must cost little: the reply is no promise, and no object is copied to add a `_meta`. */
  send(
    method: string,
    paramsWith: (meta: JsonObject | undefined) => JsonObject,
    options: RequestOptions,
  ): Reply<unknown>;
  /** Work that takes several requests: it has the limits of one, and its progress token. `elapsedMs`: how long it has taken so far. */
  hold<T>(options: RequestOptions, elapsedMs: number): HeldWork<T>;
  notify(method: string, params?: JsonObject): void;
  /** Pauses the limits of everything pending, e.g. while the user thinks. The returned function resumes them. */
  pauseClocks(): () => void;
  /** These keys go into `_meta` of everything sent from now on. */
  setEnvelope(envelope: JsonObject): void;
  /** The revision that a legacy server agreed to. */
  setRevision(revision: string): void;
  /** Whether the connection has ended. */
  isOver(): boolean;
  readonly mask: Journal['mask'];
}

export interface RequestsListener {
  /** A request or a notification from the server. */
  incoming(message: RpcMessage): void;
  /** The connection ended: with a failure if the server ended it, without if we closed it. */
  ended(failure: DownstreamFailure | undefined): void;
}

export function createRequests(wire: Wire, journal: Journal, listener: RequestsListener): Requests {
  const warnings = createLimitedLog(journal.warn);
  let nextId = firstId;
  let envelope: JsonObject | undefined;
  let isOver = false;
  const pending = createPendingRequests(({ id, options }, { message }) => {
    if (options.isHeld !== true) notify('notifications/cancelled', { requestId: id, reason: message });
  });
  const responses = createResponses(pending, journal.mask, { incoming: (message) => listener.incoming(message), lost });

  function lost(bytes: number, message: LostMessage, failure: DownstreamFailure | undefined): void {
    const { id, isRequest } = message;
    if (responses.cutPage(bytes, message)) return;
    const request = isRequest ? undefined : pending.get(id);
    warnings.write('large', failure?.message ?? `ignored a message of ${bytes} bytes: it is too large`);
    if (request !== undefined) pending.fail(request, failure ?? tooLarge(request, bytes));
    if (isRequest && id !== undefined) answerLost(id);
  }

  /** A server that waits for an answer would wait for ever. */
  function answerLost(id: RequestId): void {
    try {
      wire.send({ jsonrpc: '2.0', id, error: { code: rpcCode.invalidRequest, message: 'The request is too large' } });
    } catch {
      // The connection has ended.
    }
  }

  wire.start({
    message: responses.message,
    line: responses.line,
    keepsStart: responses.keepsStart,
    maxBytes: () =>
      pending.all().reduce((most, { options }) => Math.max(most, options.maxBytes ?? 0), maxOtherMessageBytes),
    lost,
    unanswered(id, failure) {
      const request = pending.get(id);
      if (request !== undefined) pending.fail(request, failure);
    },
    isPending: (id) => pending.get(id) !== undefined,
    ignored: (text) => warnings.write('garbage', text),
    ended(failure) {
      isOver = true;
      warnings.end();
      // Before the calls fail: why the connection ended says more about their questions than that the calls did.
      listener.ended(failure);
      // What is pending was sent, even if the connection ended because another message could not be.
      pending.end(failure instanceof NotSent ? new DownstreamFailure('lost', failure.message) : failure);
    },
  });

  function notify(method: string, params: JsonObject = {}): void {
    try {
      wire.send({ jsonrpc: '2.0', method, params: envelope === undefined ? params : { ...params, _meta: envelope } });
    } catch {
      // The connection has ended; a notification is not worth a failure.
    }
  }

  const send: Requests['send'] = (method, paramsWith, options) => {
    const { signal, headers, sizes } = options;
    if (signal?.aborted === true) return rejected(failureOf(signal));
    const request = new PendingRequest(nextId++, options);
    pending.add(request);
    try {
      const params = paramsWith(metaOf(request, envelope));
      const sent = wire.send({ jsonrpc: '2.0', id: request.id, method, params }, headers);
      if (sizes !== undefined) sizes.sent = sent ?? undefined;
    } catch (error) {
      pending.fail(request, sendFailed(error));
    }
    return request;
  };

  function hold<T>(options: RequestOptions, elapsedMs: number): HeldWork<T> {
    const { signal } = options;
    const work = new PendingRequest(nextId++, { ...options, isHeld: true });
    work.totalEnds -= elapsedMs;
    pending.add(work);
    if (signal?.aborted === true) pending.fail(work, failureOf(signal));
    return {
      progressToken: work.id,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing is received under its id, so only `resolve` does
      outcome: work as Reply<unknown> as Reply<T>,
      extend: () => pending.extend(work),
      resolve: (result) => pending.answer(work, result),
      reject: (error) => pending.fail(work, error),
    };
  }

  return {
    send,
    hold,
    request: async (method, params, options) =>
      send(method, (_meta) => (_meta === undefined ? params : { ...params, _meta }), options),
    notify,
    pauseClocks: () => pending.pauseClocks(),
    setEnvelope(keys) {
      envelope = keys;
    },
    setRevision: (revision) => wire.setRevision?.(revision),
    isOver: () => isOver,
    mask: journal.mask,
  };
}

/** What goes into the `_meta` of a request, if anything does. */
function metaOf({ id, options }: PendingRequest, envelope: JsonObject | undefined): JsonObject | undefined {
  const { meta, wantsProgress } = options;
  const hasOthers = envelope !== undefined || meta !== undefined;
  if (wantsProgress === true) return hasOthers ? { ...envelope, ...meta, progressToken: id } : { progressToken: id };
  return hasOthers ? { ...envelope, ...meta } : undefined;
}

function sendFailed(error: unknown): DownstreamFailure {
  if (error instanceof DownstreamFailure) return error;
  return new DownstreamFailure('protocol', 'the request could not be sent', { cause: error });
}
