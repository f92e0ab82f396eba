import { isRecord } from '../../jsonrpc/json.js';
import { type RequestId, type RpcMessage, rpcCode } from '../../jsonrpc/messages.js';
import { metaKeys } from '../../jsonrpc/revisions.js';
import type { HttpResponse } from './network/network.js';
import { parsed } from './problems.js';

/** One message of ours and what comes back for it. */
export interface Exchange {
  readonly message: RpcMessage;
  /** Of a request. */
  readonly id: RequestId | undefined;
  readonly isModern: boolean;
  readonly abort: AbortController;
  response?: HttpResponse;
}

/** The revision that a modern message carries. */
export function revisionIn(message: RpcMessage): string | undefined {
  const meta = 'method' in message ? message.params?.['_meta'] : undefined;
  const revision = isRecord(meta) ? meta[metaKeys.protocolVersion] : undefined;
  return typeof revision === 'string' ? revision : undefined;
}

export function isModern(message: RpcMessage): boolean {
  return revisionIn(message) !== undefined;
}

/** Servers send JSON-RPC errors with a status of their own. */
export function isResponseTo({ id }: Exchange, body: string): boolean {
  const value = parsed(body);
  return id !== undefined && isRecord(value) && value['jsonrpc'] === '2.0' && value['id'] === id;
}

/** By the protocol it is 404; many servers answer 400 with an error that belongs to no request. */
export function isForgotten(exchange: Exchange, { status }: HttpResponse, body: string): boolean {
  if (exchange.isModern) return false;
  const value = parsed(body);
  const error = isRecord(value) && isRecord(value['error']) ? value['error'] : undefined;
  if (status === 400) return error !== undefined && !isResponseTo(exchange, body);
  return status === 404 && !(error?.['code'] === rpcCode.methodNotFound && isResponseTo(exchange, body));
}
