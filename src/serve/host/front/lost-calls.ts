import { WorkbenchError } from '../../../contract/errors.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import type { RpcMessage } from '../../../jsonrpc/messages.js';
import type { Log } from '../../../platform/log.js';
import { answerFailed } from '../../../session/answer-failed.js';
import type { Pending } from '../../../session/link.js';
import { shorten } from '../../../text/shorten.js';

const longestName = 200;

/** The answer to a request that the host had when it was lost. */
export function answerLost(pending: Pending, log: Log): Promise<RpcMessage> {
  const { method, params = {} } = pending.request;
  return answerFailed(pending, lostCall(method === 'tools/call' ? params : {}), log);
}

/** `params`: the unchecked ones of a `tools/call`. */
export function lostCall({ name, arguments: given }: JsonObject): WorkbenchError {
  const input = isRecord(given) ? given : {};
  const tool = isRecord(input['tool']) ? input['tool'] : {};
  const why = 'the host process that runs the servers was lost';
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
