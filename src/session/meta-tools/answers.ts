import { isWorkbenchError, type WorkbenchError } from '../../contract/errors.js';
import { isRecord } from '../../jsonrpc/json.js';
import { isRequestProblem } from '../../jsonrpc/request-problem.js';
import { ownMetaPrefix } from '../../jsonrpc/revisions.js';
import { internalError, type Log } from '../../platform/log.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import { shorten } from '../../text/shorten.js';

const longestText = 1_999;
const codeKey = `${ownMetaPrefix}code`;

/** The one place where errors become the text that the agent reads. */
export function answer(log: Log, handled: PromiseLike<ToolResult>): PromiseLike<ToolResult> {
  return handled.then(undefined, (error: unknown) => {
    if (isRequestProblem(error)) {
      log.warn(`agent: refused: ${error.message}`);
      throw error;
    }
    const { text, code } = isWorkbenchError(error)
      ? { text: fullText(error), code: error.code }
      : { text: internalError(log, error).message, code: 'INTERNAL' };
    // No server can write this key, so no text of a server can pass for an error of ours.
    return new ValueResult({ content: [{ type: 'text', text }], isError: true, _meta: { [codeKey]: code } });
  });
}

/** The code of an error of ours in a result; undefined if it is none. */
export function codeIn(result: unknown): unknown {
  if (!isRecord(result) || result['isError'] !== true || !isRecord(result['_meta'])) return undefined;
  return result['_meta'][codeKey];
}

/** The message and the hint. Clients truncate long errors, so a long message is shortened to keep the hint. */
export function fullText({ message, hint }: WorkbenchError): string {
  if (hint === undefined) return shorten(message, longestText);
  const text = shorten(message, Math.max(200, longestText - hint.length - 2));
  return `${text}${/[.!?\u2026]$/.test(text) ? '' : '.'} ${shorten(hint, longestText - 202)}`;
}
