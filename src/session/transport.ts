import { isRecord } from '../jsonrpc/json.js';
import type { RequestId, RpcMessage } from '../jsonrpc/messages.js';

/** How messages reach the agent. */
export interface AgentOutput {
  /**
   * A response over `maxBytes` becomes an error response, a notification is dropped, a question throws. `inReplyTo`: the request
   * that a message belongs to, if it is not the response to it. HTTP chooses the stream by it, stdio ignores it.
   */
  send(message: RpcMessage, inReplyTo?: RequestId): void;
  maxBytes: number;
  /** Bytes that the agent has not read yet, approximately. */
  readonly unread: number;
  /** It has read them. */
  ondrain?: () => void;
}

/** Both directions of an agent's connection. */
export interface AgentTransport extends AgentOutput {
  /** `line`: the message as the agent wrote it, if it stands alone. */
  onmessage?: (message: RpcMessage, line?: Buffer) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  start(): void;
  close(): void;
}

export type Pieces = readonly (string | Uint8Array)[];

/** A result that is JSON already: a `ToolResult`, or what a host has sent. */
export interface HeldResult {
  bytes(): Pieces | undefined;
}

/** Undefined for a value. Not by `instanceof`: parts have their own copies of the class. Values parsed from JSON contain no functions. */
export function bytesOf(result: unknown): Pieces | undefined {
  if (!isRecord(result) || typeof result['bytes'] !== 'function') return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a result held as bytes has functions
  return (result as unknown as HeldResult).bytes();
}
