import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../../jsonrpc/json.js';
import { type RpcRequest, rpcCode } from '../../../jsonrpc/messages.js';
import { isRequestProblem } from '../../../jsonrpc/request-problem.js';
import { metaKeys } from '../../../jsonrpc/revisions.js';
import { type Caller, modernCaller } from '../../../session/caller.js';
import { type Refusal, refusal } from '../exchange/refusal.js';
import { headerProblem } from './headers.js';

/** Who sends a modern request, or why it is refused. */
export function modernRequest(
  http: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  request: RpcRequest,
): { readonly caller: Caller } | { readonly refused: Refusal } {
  const { params = {} } = request;
  const meta = params['_meta'];
  const revision = isRecord(meta) ? meta[metaKeys.protocolVersion] : undefined;
  if (typeof revision !== 'string') {
    const text = `Invalid params: _meta: ${metaKeys.protocolVersion} is missing`;
    return { refused: refusal(400, rpcCode.invalidParams, text) };
  }
  const problem = headerProblem(http, request, revision);
  if (problem !== undefined) return { refused: refusal(400, rpcCode.headerMismatch, `Header mismatch: ${problem}`) };
  try {
    return { caller: modernCaller(params) };
  } catch (error) {
    if (!isRequestProblem(error)) throw error;
    const { code, message, data } = error;
    return { refused: { status: 400, error: { code, message, data } } };
  }
}
