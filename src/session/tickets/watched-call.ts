import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { isRequestId, type RequestId, type RpcRequest } from '../../jsonrpc/messages.js';
import { clientWaits } from '../../limits.js';
import type { Caller } from '../caller.js';
import { familyOf } from '../fitted-call.js';

/** A call whose client gives up after a known time. */
export interface WatchedCall {
  /** As the agent sent it. */
  readonly request: RpcRequest;
  readonly caller: Caller;
  /** The agent's own progress token. */
  readonly token: RequestId | undefined;
  readonly since: number;
  readonly limitMs: number;
  /** Its id where it runs: the agent may use its own again once it is answered. */
  inner: number;
  /** The progress of a call without a token is followed under one of ours. */
  followed: string | undefined;
  /** The limit was reached. */
  isLate: boolean;
  /** The last text of its server. */
  progress: string | undefined;
}

/** After how many ms a call is answered in any case; undefined: never. `setting`: `answerWithinMs`. */
export function waitLimit(
  { method, params }: RpcRequest,
  { client }: Caller,
  setting: number | undefined,
): number | undefined {
  if (method !== 'tools/call' || params?.['name'] !== 'use_tool') return undefined;
  if (setting !== undefined) return setting === 0 ? undefined : setting;
  const family = familyOf(client?.name ?? '');
  return Object.hasOwn(clientWaits, family) ? clientWaits[family] : undefined;
}

/** The request under its inner id. `more`: other parameters. */
export function innerRequest({ request: { method, params = {} }, inner }: WatchedCall, more?: JsonObject): RpcRequest {
  return { jsonrpc: '2.0', id: inner, method, params: more === undefined ? params : { ...params, ...more } };
}

export function tokenOf({ params = {} }: RpcRequest): RequestId | undefined {
  const token = isRecord(params['_meta']) ? params['_meta']['progressToken'] : undefined;
  return isRequestId(token) ? token : undefined;
}
