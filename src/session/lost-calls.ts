import { WorkbenchError } from '../contract/errors.js';
import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import type { RpcFailure, RpcResult } from '../jsonrpc/messages.js';
import type { Log } from '../platform/log.js';
import { shorten } from '../text/shorten.js';
import { answerFailed } from './answer-failed.js';
import type { Pending } from './link.js';

const longestName = 200;

const hostLost = 'the host process that runs the servers was lost';

/** The answer to a request whose outcome is unknown: what served it was lost. `why`: as in "Tool … failed: …". */
export function answerLost(pending: Pending, log: Log, why = hostLost): Promise<RpcResult | RpcFailure> {
  const { method, params = {} } = pending.request;
  return answerFailed(pending, lostCall(method === 'tools/call' ? params : {}, why), log);
}

/** `params`: the unchecked ones of a `tools/call`. */
export function lostCall({ name, arguments: given }: JsonObject, why = hostLost): WorkbenchError {
  const input = isRecord(given) ? given : {};
  const tool = isRecord(input['tool']) ? input['tool'] : {};
  if (name === 'use_tool') {
    const place = `'${shown(tool['name'])}' of server '${shown(tool['server'])}' (toolbox '${shown(tool['toolbox'])}')`;
    const hint = 'It is unknown whether the tool took effect. The call was not retried.';
    return new WorkbenchError('HOST_LOST', `Tool ${place} failed: ${why}`, { hint });
  }
  const what = name === 'open_toolbox' ? `Opening toolbox '${shown(input['toolbox'])}'` : 'The request';
  return new WorkbenchError('HOST_LOST', `${what} failed: ${why}`, { hint: 'Retry this call.' });
}

function shown(value: unknown): string {
  return typeof value === 'string' ? shorten(value, longestName) : '';
}
