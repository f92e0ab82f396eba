import { longestRequestId } from '../limits.js';
import { isRecord, type JsonObject } from './json.js';

/** JSON-RPC 2.0 as MCP uses it. `params` and `result` are not validated here. */
export type RequestId = string | number;

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

export interface RpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: unknown;
}

export interface RpcFailure {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResult | RpcFailure;

export const rpcCode = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  headerMismatch: -32_020,
  /** What is asked for needs a capability that the client has not declared. */
  missingCapability: -32_021,
  unsupportedProtocolVersion: -32_022,
} as const;

/** JSON has numbers that are infinite once parsed, such as 1e400: they cannot be sent back. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= longestRequestId : Number.isFinite(value);
}

export function isRequest(message: RpcMessage): message is RpcRequest {
  return 'method' in message && 'id' in message;
}

/** The message that a parsed JSON value is; undefined if it is none. What is in `params` and `result` is not checked. */
export function messageIn(value: unknown): RpcMessage | undefined {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return undefined;
  const { id, method } = value;
  if (method === undefined) return isRequestId(id) ? responseIn(id, value) : undefined;
  const isCall = typeof method === 'string' && (!('params' in value) || isRecord(value['params']));
  if (!isCall || ('id' in value && !isRequestId(id))) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was checked; a copy shows in the cost of a call
  return value as unknown as RpcRequest | RpcNotification;
}

/** A malformed response is still the response to our request, and ends it. */
function responseIn(id: RequestId, { result, error }: JsonObject): RpcMessage | undefined {
  // Some peers write both, and null for the one that does not apply.
  if (error === undefined || error === null) {
    return result === undefined ? undefined : { jsonrpc: '2.0', id, result };
  }
  const { code, message, data } = isRecord(error) ? error : { message: error };
  const text = typeof message === 'string' ? message : 'the error has no message';
  return failureFrom(id, Object.assign(new Error(text), { code, data }));
}

/** The error response for a thrown value, with its own code if it has one. */
export function failureFrom(id: RequestId, error: unknown): RpcFailure {
  const isError = error instanceof Error;
  const code = isError && 'code' in error ? error.code : undefined;
  const data = isError && 'data' in error ? error.data : undefined;
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: typeof code === 'number' && Number.isSafeInteger(code) ? code : rpcCode.internalError,
      message: isError ? error.message : String(error),
      ...(data !== undefined && { data }),
    },
  };
}
