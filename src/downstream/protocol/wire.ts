import type { RequestId, RpcMessage } from '../../jsonrpc/messages.js';
import type { DownstreamFailure } from '../../workbench/ports/downstream.js';
import type { HeaderList } from './param-headers.js';

/** A way to exchange messages with one server. It delivers messages and does not look into them. */
export interface Wire {
  /** A message is sent with headers, so arguments of calls can be repeated there. */
  readonly mirrorsArguments?: true;
  /** Starts reading. Called once, before anything is sent. */
  start(sink: WireSink): void;
  /** Throws a DownstreamFailure if the message cannot be sent. `headers`: only for a wire that mirrors arguments. */
  send(message: RpcMessage, headers?: HeaderList): void;
  /** Every request has a response of its own, so that one which is late is only late. */
  readonly answersEach?: true;
  /** The revision that was agreed on in the handshake of a legacy server. */
  setRevision?(revision: string): void;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  /** What the server wrote last beside its messages, as a phrase. Undefined if it wrote nothing. */
  lastWords(): Promise<string | undefined>;
  /** Ends the connection and everything that was started for it; resolves when nothing of it is left. */
  close(): Promise<void>;
}

export interface LostMessage {
  readonly id: RequestId | undefined;
  readonly isRequest: boolean;
}

/** Receives what comes over a wire. */
export interface WireSink {
  /** `bytes` is the size of the message as received. */
  message(message: RpcMessage, bytes: number): void;
  /** A message as bytes. False if it is not one. */
  line(line: Buffer): boolean;
  /** The largest message that is expected now. A larger one need not be read. */
  maxBytes(): number;
  /** A message was dropped because of its size. The rest is what was found of it, and the limit of the wire if it exceeded that. */
  lost(bytes: number, message: LostMessage, failure: DownstreamFailure | undefined): void;
  /** A request will get no response. */
  unanswered(id: RequestId, failure: DownstreamFailure): void;
  /** Whether a request has no response so far. */
  isPending(id: RequestId): boolean;
  /** Input that is not a message was ignored; the text describes it. */
  ignored(text: string): void;
  /** The connection ended: with a failure if the server ended it, without if we closed it. Called once. */
  ended(failure: DownstreamFailure | undefined): void;
}
