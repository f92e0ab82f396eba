import { WorkbenchError } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import type { ToolResult } from '../../results/tool-result.js';

/** Refuses the question of a 2026-07-28 server for roots that it was not offered. */
export function refuseRoots(result: ToolResult, { toolbox, server, name }: ToolIdentifier): void {
  const { inputRequests } = result.value();
  const questions = Object.values(isRecord(inputRequests) ? inputRequests : {});
  if (!questions.some((question) => isRecord(question) && question['method'] === 'roots/list')) return;
  const text = `Tool '${name}' of server '${server}' (toolbox '${toolbox}') failed: it requires roots/list, which is not offered to it`;
  throw new WorkbenchError('QUESTION_UNSUPPORTED', text, {
    place: { toolbox, server, tool: name },
    hint: `"roots": true in the entry of the server offers it the client's roots.`,
  });
}
