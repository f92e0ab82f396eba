/** JSON-RPC 2.0 as MCP uses it. `params` and `result` are not validated here. */
export type RequestId = string | number;

type Params = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params;
}

export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Params;
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
  unsupportedProtocolVersion: -32_022,
} as const;

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}

export function isRequest(message: RpcMessage): message is RpcRequest {
  return 'method' in message && 'id' in message;
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
