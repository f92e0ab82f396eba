import type { FailureKind } from '../../../contract/downstream-failure.js';
import type { CancelSignal } from '../../../jsonrpc/cancellation.js';
import type { JsonObject } from '../../../jsonrpc/json.js';
import type { Reply } from '../../../jsonrpc/reply.js';
import type { CallSizes, ToolResult } from '../../../results/tool-result.js';
import type { CallOptions, Progress } from '../../../workbench/ports/downstream.js';

/** A call that is a task at the server. */
export interface TaskCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly options: CallOptions;
  readonly request: TaskRequestOptions & {
    readonly totalTimeoutMs?: number;
    readonly onProgress?: ((progress: Progress) => void) | undefined;
  };
  /** The limits of the call, from its start on. */
  hold(): HeldWork<ToolResult>;
}

/** Work that takes several requests and has the limits of one. */
export interface HeldWork<T> {
  /** What the server reports progress under. */
  readonly progressToken: number;
  /** Also fails at a limit, at a cancellation, and with the connection. */
  readonly outcome: Reply<T>;
  /** The server works on it. */
  extend(): void;
  readonly resolve: (result: T) => void;
  readonly reject: (error: Error) => void;
}

/** What a request about a task needs of those of a connection. */
export interface TaskRequestOptions {
  readonly meta?: JsonObject | undefined;
  readonly signal?: CancelSignal | undefined;
  readonly sizes?: CallSizes;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly settings?: { readonly idle: string; readonly total: string; readonly bytes: string };
}

/** The connection. It makes all errors: this folder is loaded with the first task, and a class in two parts is two classes. */
export interface TaskHost {
  request(method: string, params: JsonObject, options: TaskRequestOptions): Promise<unknown>;
  readonly isModern: boolean;
  /** What goes into `_meta` of requests about the task of a call. */
  metaOf(call: TaskCall): JsonObject | undefined;
  /** What the end of the connection waits for. */
  readonly cancelling: Set<Promise<unknown>>;
  ask(inputRequests: JsonObject, call: TaskCall, signal: CancelSignal): Promise<JsonObject>;
  toolResult(found: unknown, sizes: CallSizes): ToolResult;
  failure(kind: FailureKind, text: string): Error;
  rpcError(code: number, text: string): Error;
  tooLarge(bytes: number, limit: number, setting: string | undefined): Error;
  /** The error of a call whose task was created. */
  sinceCreation(error: unknown): Error;
}
