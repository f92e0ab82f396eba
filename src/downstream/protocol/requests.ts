import { DownstreamFailure, failureOf, NotSent } from '../../contract/downstream-failure.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { createIdScanner } from '../../jsonrpc/id-scanner.js';
import { InFlight } from '../../jsonrpc/in-flight.js';
import type { RequestId, RpcFailure, RpcMessage, RpcResult } from '../../jsonrpc/messages.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { longestErrorText, longestProgressText, maxOtherMessageBytes } from '../../limits.js';
import { createLimitedLog } from '../../platform/limited-log.js';
import { TooComplex } from '../../results/json-outline.js';
import type { CallSizes } from '../../results/tool-result.js';
import { withoutHidden } from '../../text/hidden.js';
import { shorten } from '../../text/shorten.js';
import type { Progress } from '../../workbench/ports/downstream.js';
import { createDeadlines, type Deadline, never } from './deadlines.js';
import { closedByUs, RpcError, resultTooLarge, timedOut } from './failures.js';
import type { Journal } from './journal.js';
import { parseMessage } from './parse-message.js';
import { minPageBytes, readToolPage } from './tool-page.js';
import type { HeaderList, LostMessage, Wire } from './wire.js';

// Numbers, because some servers accept no strings.
const firstId = 1_000_001;

type Params = Readonly<Record<string, unknown>>;

export interface RequestOptions {
  readonly signal?: CancelSignal;
  /** Without progress from the server for this long, the request is cancelled. Without a limit it stays pending. */
  readonly timeoutMs?: number;
  /** However much progress there is, the request is cancelled after this long. */
  readonly totalTimeoutMs?: number;
  /** A larger response fails the request and is not parsed. */
  readonly maxBytes?: number;
  /** The setting that raises this limit. */
  readonly maxBytesSetting?: string;
  /** Gets the sizes of the request and its response. */
  readonly sizes?: CallSizes;
  /** Called with the size of the response. */
  readonly onBytes?: (bytes: number) => void;
  /** A large response may be returned as a ToolPage. */
  readonly mayBePage?: boolean;
  /** Asks the server to report progress. */
  readonly wantsProgress?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  /** Goes into `_meta`. */
  readonly meta?: Params;
  /** Sent with the message, on a wire that has headers. */
  readonly headers?: HeaderList;
}

/** Our requests on a connection, in either era. Results are neither checked nor changed. */
export interface Requests {
  request(method: string, params: Params, options: RequestOptions): Promise<unknown>;
  notify(method: string, params?: Params): void;
  /** Pauses the limits of everything pending, e.g. while the user thinks. The returned function resumes them. */
  pauseClocks(): () => void;
  /** These keys go into `_meta` of everything sent from now on. */
  setEnvelope(envelope: Params): void;
  /** The revision that a legacy server agreed to. */
  setRevision(revision: string): void;
  /** Whether the connection has ended. */
  isOver(): boolean;
}

export interface RequestsListener {
  /** A request or a notification from the server. */
  incoming(message: RpcMessage): void;
  /** The connection ended: with a failure if the server ended it, without if we closed it. */
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

export function createRequests(wire: Wire, journal: Journal, listener: RequestsListener): Requests {
  const pending = new InFlight<Pending>();
  const warnings = createLimitedLog(journal.warn);
  let nextId = firstId;
  let envelope: Params = {};
  let isMarked = false;
  let isOver = false;
  const deadlines = createDeadlines(
    () => pending.values(),
    (waiting: Pending, limitMs) => giveUp(waiting, timedOut(limitMs)),
  );

  function receive(message: RpcMessage, bytes: number): void {
    if (!('method' in message)) answered(message, bytes);
    else if (message.method === 'notifications/progress') progressed(message.params);
    else listener.incoming(message);
  }

  function answered(message: RpcResult | RpcFailure, bytes: number): void {
    // Unknown ids are usually late responses to requests that were cancelled.
    const waiting = pending.get(message.id);
    if (waiting === undefined) return;
    const { maxBytes = maxOtherMessageBytes, onBytes, sizes } = waiting.options;
    onBytes?.(bytes);
    if (sizes !== undefined) sizes.received = bytes;
    if (bytes > maxBytes) {
      fail(waiting, tooLarge(waiting, bytes));
    } else if ('error' in message) {
      fail(waiting, new RpcError({ ...message.error, message: readable(message.error.message) }));
    } else {
      settle(waiting);
      waiting.resolve(message.result);
    }
  }

  /** Cut first: making millions of characters readable takes seconds. */
  function readable(text: string): string {
    if (text.length <= longestErrorText) return journal.mask(text);
    const cut = `… (${text.length} characters)`;
    return `${journal.mask(shorten(text, longestErrorText).slice(0, -1), true)}${cut}`;
  }

  function progressed(params: Params | undefined): void {
    const waiting = pending.get(params?.['progressToken']);
    if (waiting === undefined || params === undefined) return;
    const { progress, total, message } = params;
    if (!isNumber(progress)) return;
    deadlines.extend(waiting);
    // Nothing else is passed on: an unknown field could be of any size.
    waiting.options.onProgress?.({
      progress,
      ...(isNumber(total) && { total }),
      ...(typeof message === 'string' && { message: withoutHidden(shorten(message, longestProgressText)) }),
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

  /** A page of tools is read without parsing all of it; whether a line is one shows only its id. */
  function receivePage(line: Buffer): boolean {
    if (line.length < minPageBytes || !pending.values().some(({ options }) => options.mayBePage === true)) return false;
    const found = readToolPage(line, (id) => pending.get(id)?.options.mayBePage === true);
    const waiting = found && pending.get(found.id);
    if (found === undefined || waiting === undefined) return false;
    const { maxBytes = maxOtherMessageBytes, onBytes } = waiting.options;
    onBytes?.(line.length);
    if (line.length > maxBytes) {
      fail(waiting, tooLarge(waiting, line.length));
    } else {
      settle(waiting);
      waiting.resolve(found.page);
    }
    return true;
  }

  function receiveLine(line: Buffer): boolean {
    if (receivePage(line)) return true;
    try {
      const message = parseMessage(
        line,
        (outline) =>
          line.length <= maxOtherMessageBytes || (!('method' in outline) && pending.get(outline.id) !== undefined),
      );
      if (message !== undefined) receive(message, line.length);
      return message !== undefined;
    } catch (error) {
      if (!(error instanceof TooComplex)) throw error;
      notRead(line, error);
      return true;
    }
  }

  function notRead(line: Buffer, { message, isNotice }: TooComplex): void {
    const scan = createIdScanner();
    if (!isNotice) scan.feed(line);
    const failure = new DownstreamFailure('too-large', `its message of ${line.length} bytes was not read: ${message}`);
    lost(line.length, { id: scan.id(), isRequest: scan.isRequest() }, failure);
  }

  function lost(bytes: number, { id, isRequest }: LostMessage, failure: DownstreamFailure | undefined): void {
    const waiting = isRequest ? undefined : pending.get(id);
    warnings.write('large', failure?.message ?? `ignored a message of ${bytes} bytes: it is too large`);
    if (waiting !== undefined) fail(waiting, failure ?? tooLarge(waiting, bytes));
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
    message: receive,
    line: receiveLine,
    maxBytes: () =>
      pending.values().reduce((most, { options }) => Math.max(most, options.maxBytes ?? 0), maxOtherMessageBytes),
    lost,
    unanswered(id, failure) {
      const waiting = pending.get(id);
      if (waiting !== undefined) fail(waiting, failure);
    },
    isPending: (id) => pending.get(id) !== undefined,
    ignored: (text) => warnings.write('garbage', text),
    ended(failure) {
      // What is pending was sent, even if the connection ended because another message could not be.
      const reason = failure instanceof NotSent ? new DownstreamFailure('lost', failure.message) : failure;
      isOver = true;
      for (const waiting of pending.values()) fail(waiting, reason ?? closedByUs());
      deadlines.stop();
      warnings.end();
      listener.ended(failure);
    },
  });

  /** The parameters, with a `_meta` if anything goes into it. */
  function marked(params: Params, { meta, wantsProgress }: RequestOptions, id: number): Params {
    const hasOthers = isMarked || meta !== undefined;
    if (wantsProgress === true) {
      return { ...params, _meta: hasOthers ? { ...envelope, ...meta, progressToken: id } : { progressToken: id } };
    }
    return hasOthers ? { ...params, _meta: { ...envelope, ...meta } } : params;
  }

  function notify(method: string, params: Params = {}): void {
    try {
      wire.send({ jsonrpc: '2.0', method, params: isMarked ? { ...params, _meta: envelope } : params });
    } catch {
      // The connection has ended; a notification is not worth a failure.
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
          const sent = wire.send({ jsonrpc: '2.0', id, method, params: marked(params, options, id) }, options.headers);
          if (options.sizes !== undefined) options.sizes.sent = sent ?? undefined;
        } catch (error) {
          const isKnown = error instanceof DownstreamFailure;
          fail(
            waiting,
            isKnown ? error : new DownstreamFailure('protocol', 'the request could not be sent', { cause: error }),
          );
        }
      });
    },

    pauseClocks: () => deadlines.pause(),

    setEnvelope(keys) {
      envelope = keys;
      isMarked = true;
    },

    setRevision: (revision) => wire.setRevision?.(revision),

    isOver: () => isOver,
  };
}

/** JSON has numbers that are infinite once parsed and cannot be written again. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function tooLarge({ options }: Pending, bytes: number): DownstreamFailure {
  return resultTooLarge(bytes, options.maxBytes ?? maxOtherMessageBytes, options.maxBytesSetting);
}
