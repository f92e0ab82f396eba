import type { WorkbenchError } from '../contract/errors.js';
import { failureFrom, type RpcFailure, type RpcResult } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import type { Pending } from './link.js';
import { answer, fullText } from './meta-tools/answers.js';
import { resultFor } from './results-for-agent.js';

/** The response to a request that no workbench has served. */
export async function answerFailed(
  { request, caller }: Pending,
  error: WorkbenchError,
  log: Log,
): Promise<RpcResult | RpcFailure> {
  const { id, method } = request;
  if (method !== 'tools/call') return failureFrom(id, new Error(fullText(error)));
  return { jsonrpc: '2.0', id, result: resultFor(caller, await answer(log, Promise.reject(error))) };
}
