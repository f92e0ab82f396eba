import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { messageOf } from '../../../contract/errors.js';
import {
  failureFrom,
  type RequestId,
  type RpcFailure,
  type RpcMessage,
  type RpcRequest,
  type RpcResult,
  rpcCode,
} from '../../../jsonrpc/messages.js';
import type { Pieces } from '../../../results/held-bytes.js';
import { lengthOf, messagePieces } from '../../../results/message-pieces.js';
import type { Pending } from '../../../session/link.js';
import { createEventStream, type EventStream } from './event-stream.js';
import { streamAfterMs, streamBacklogBytes } from './limits.js';
import { plainHeaders, type Refusal, refuse } from './refusal.js';
import type { Ticking } from './ticks.js';
import type { Unread } from './unread.js';

export interface ExchangeParts {
  readonly response: ServerResponse;
  /** As its client wrote it. */
  readonly request: Pick<RpcRequest, 'id'>;
  readonly isModern: boolean;
  /** Of every answer to it. */
  readonly headers: OutgoingHttpHeaders;
  readonly unread: Unread;
  /** It was answered, or its client has gone. Called once. */
  readonly ended: (exchange: Exchange) => void;
}

/** How errors of the protocol of 2026-07-28 show in HTTP, unless the answer is a stream already. */
const statuses: ReadonlyMap<number, number> = new Map([
  [rpcCode.methodNotFound, 404],
  [rpcCode.headerMismatch, 400],
  [rpcCode.missingCapability, 400],
  [rpcCode.unsupportedProtocolVersion, 400],
]);

/**
 * A POST with a request, until it is answered: by one JSON document, or, once something comes before the response or it takes long, by
 * a stream of events.
 */
export class Exchange implements Ticking {
  /** What it is about, once somebody serves it. */
  pending: Pending | undefined;
  readonly #parts: ExchangeParts;
  readonly #since = performance.now();
  #stream: EventStream | undefined;
  #isOver = false;
  /** Set by whoever serves it; called if the client has gone before the response. */
  onGone: (() => void) | undefined;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    parts.response.on('close', () => this.#close());
  }

  /** Of the request, as its client wrote it. */
  get id(): RequestId {
    return this.#parts.request.id;
  }

  /** Whether nothing can be sent any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A message before the response. */
  event(message: RpcMessage, maxBytes: number): void {
    if (this.#isOver) return;
    const { response } = this.#parts;
    // Late progress is of no use, and a client that does not read must not fill the memory with it.
    if (isProgress(message) && response.writableLength > streamBacklogBytes) return;
    // Throws before anything is written.
    const pieces = messagePieces(message, maxBytes);
    this.#openStream().send(pieces);
  }

  /** The response. One over `maxBytes` becomes an error. */
  answer(message: RpcResult | RpcFailure, maxBytes: number): void {
    if (this.#isOver) return;
    const status = ('error' in message && this.#parts.isModern && statuses.get(message.error.code)) || 200;
    const pieces = this.#piecesOf(message, maxBytes);
    if (this.#stream !== undefined) this.#stream.end(pieces);
    else this.#sendJson(status, pieces);
    this.#end();
  }

  refuse(refusal: Refusal): void {
    if (this.#isOver) return;
    if (this.#stream === undefined) refuse(this.#parts.response, refusal, this.#parts.headers, this.id);
    else this.#stream.end([]);
    this.#end();
  }

  /** Ends it without a response: its client has cancelled the request. */
  finish(): void {
    if (this.#isOver) return;
    this.#openStream().end([]);
    this.#end();
  }

  tick(now: number): void {
    if (this.#isOver) return;
    // A response that waits for another one on its connection is not closed with it.
    if (this.#parts.response.req.socket.destroyed) this.#close();
    else if (this.#stream !== undefined) this.#stream.tick(now);
    else if (now - this.#since > streamAfterMs) this.#openStream();
  }

  /** Under the client's own id. */
  #piecesOf(message: RpcResult | RpcFailure, maxBytes: number): Pieces {
    try {
      return messagePieces(message.id === this.id ? message : { ...message, id: this.id }, maxBytes);
    } catch (error) {
      const text = `Message not sent: ${messageOf(error)}`;
      return messagePieces(failureFrom(this.id, new Error(text)), Number.POSITIVE_INFINITY);
    }
  }

  #openStream(): EventStream {
    this.#stream ??= createEventStream(this.#parts.response, this.#parts.headers, this.#parts.unread);
    return this.#stream;
  }

  #sendJson(status: number, pieces: Pieces): void {
    const { response, headers, unread } = this.#parts;
    const length = lengthOf(pieces);
    response.writeHead(status, {
      ...plainHeaders,
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': length,
    });
    const [only] = pieces;
    if (pieces.length === 1) {
      response.end(only);
    } else {
      response.cork();
      for (const piece of pieces) response.write(piece);
      response.end();
      response.uncork();
    }
    unread.watch(response);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#end();
    this.onGone?.();
  }

  #end(): void {
    this.#isOver = true;
    this.#parts.ended(this);
  }
}

function isProgress(message: RpcMessage): boolean {
  return 'method' in message && message.method === 'notifications/progress';
}
