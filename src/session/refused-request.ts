import { WorkbenchError } from '../contract/errors.js';
import { failureFrom, type RpcMessage, rpcCode } from '../jsonrpc/messages.js';
import { RequestProblem } from '../jsonrpc/request-problem.js';
import type { Log } from '../platform/log.js';
import type { Caller } from './caller.js';
import { answer, fullText } from './meta-tools/answers.js';
import { resultFor } from './results-for-agent.js';
import type { RefusedRequest } from './transport.js';

const hint =
  'The tool was not called. Send less in one call: a part of the data, or the path of a file that the server can read.';

/** The answer to a request that was refused before it was parsed. A part that is loaded for the first of them. */
export async function answerRefused(
  { id, method, problem }: RefusedRequest,
  caller: Caller,
  log: Log,
): Promise<RpcMessage> {
  const error = new WorkbenchError('INPUT_INVALID', `Invalid parameters: the request ${problem}`, { hint });
  if (method === 'tools/call')
    return { jsonrpc: '2.0', id, result: resultFor(caller, await answer(log, Promise.reject(error))) };
  return failureFrom(id, new RequestProblem(rpcCode.invalidRequest, fullText(error)));
}
