import type { DownstreamFailure } from '../../contract/downstream-failure.js';
import type { PackageVersion } from '../../contract/package-version.js';
import type { Tool } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { RequestId, RpcMessage } from '../../jsonrpc/messages.js';

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Repeats arguments of calls in headers, where tools ask for it. */
export interface ArgumentMirror {
  /** Lists tools with `list`. A tool that cannot be called in the way it requires is not admitted. */
  listing<T>(list: (admits: (tool: Tool) => boolean) => Promise<T>): Promise<T>;
  /** Makes a call with `send`. A server that finds headers wrong has not run the tool, so the call is made again, once, after `relist`. */
  call<T>(
    name: string,
    args: JsonObject,
    send: (headers: HeaderList) => PromiseLike<T>,
    relist: () => Promise<unknown>,
  ): Promise<T>;
}

/** A way to exchange messages with one server. It delivers messages and does not look into them. */
export interface Wire {
  /** Of the process behind it. */
  readonly pid?: number;
  /** That the process was started from. */
  readonly package?: PackageVersion | undefined;
  /** For a wire whose messages have headers: arguments of calls are repeated there (2026-07-28). */
  readonly createMirror?: (warn: (text: string) => void) => ArgumentMirror;
  /** Starts reading. Called once, before anything is sent. */
  start(sink: WireSink): void;
  /**
   * Throws a DownstreamFailure if the message cannot be sent. Returns its size in bytes, if the wire writes it itself. `headers`:
   * only for a wire that mirrors arguments.
   */
  send(message: RpcMessage, headers?: HeaderList): number | void;
  /** Every request has a response of its own, so that one which is late is only late. */
  readonly answersEach?: true;
  /** The revision that was agreed on in the handshake of a legacy server. */
  setRevision?(revision: string): void;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
  /** What the server wrote last beside its messages, or what it is waited for, as a phrase. Undefined if there is nothing to say. */
  lastWords(): Promise<string | undefined>;
  /** Ends the connection and everything that was started for it; resolves when nothing of it is left. */
  close(): Promise<void>;
}

export interface LostMessage {
  readonly id: RequestId | undefined;
  readonly isRequest: boolean;
  /** Its first bytes, up to the limit, if the sink keeps them. */
  readonly start?: Buffer | undefined;
}

/** Receives what comes over a wire. */
export interface WireSink {
  /** `bytes` is the size of the message as received. */
  message(message: RpcMessage, bytes: number): void;
  /** A message as bytes. False if it is not one. */
  line(line: Buffer): boolean;
  /** The largest message that is expected now. A larger one need not be read. */
  maxBytes(): number;
  /** Whether the start of a message that is too large is of use. */
  keepsStart(): boolean;
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
