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

/** The same output, whose messages go through another function first. */
export function withSend(output: AgentOutput, send: AgentOutput['send']): AgentOutput {
  return {
    send,
    get maxBytes() {
      return output.maxBytes;
    },
    set maxBytes(bytes) {
      output.maxBytes = bytes;
    },
    get unread() {
      return output.unread;
    },
    get ondrain() {
      return output.ondrain;
    },
    set ondrain(drained) {
      output.ondrain = drained;
    },
  };
}

/** A request that is over a limit. It was not parsed. */
export interface RefusedRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly problem: string;
}

/** Both directions of an agent's connection. */
export interface AgentTransport extends AgentOutput {
  /** `line`: the message as the agent wrote it, if it stands alone. */
  onmessage?: (message: RpcMessage, line?: Buffer) => void;
  /** The request is to be answered with an error. */
  onrefused?: (request: RefusedRequest) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  start(): void;
  close(): void;
}
