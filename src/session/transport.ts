import type { RpcMessage } from '../jsonrpc/messages.js';

/** What an agent receives. */
export interface AgentOutput {
  /** A response over `maxBytes` becomes an error response, a notification is dropped, a question throws. */
  send(message: RpcMessage): void;
  maxBytes: number;
  /** Bytes that the agent has not read yet, approximately. */
  readonly backlog: number;
  /** The backlog is gone. */
  ondrain?: () => void;
}

/** MCP towards an agent. */
export interface AgentWire extends AgentOutput {
  onmessage?: (message: RpcMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  start(): void;
  close(): void;
}

/** A result that is JSON already: a `ToolResult`, or what a host has sent. */
export interface HeldResult {
  bytes(): Pieces;
}

export type Pieces = readonly (string | Uint8Array)[];
