import { isWorkbenchError, messageOf, type WorkbenchError } from '../../contract/errors.js';
import { isRequestProblem } from '../../jsonrpc/request-problem.js';
import type { Log } from '../../platform/log.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import { shorten } from '../../text/shorten.js';

const longestText = 1_999;

/** The one place where errors become the text that the agent reads. */
export function answer(log: Log, handled: Promise<ToolResult>): Promise<ToolResult> {
  return handled.catch((error: unknown) => {
    if (isRequestProblem(error)) {
      log.warn(`agent: refused: ${error.message}`);
      throw error;
    }
    return new ValueResult({ content: [{ type: 'text', text: textOf(error, log) }], isError: true });
  });
}

/** The message and the hint. Clients truncate long errors, so a long message is shortened to keep the hint. */
export function fullText({ message, hint }: WorkbenchError): string {
  if (hint === undefined) return shorten(message, longestText);
  const text = shorten(message, Math.max(200, longestText - hint.length - 2));
  return `${text}${/[.!?…]$/.test(text) ? '' : '.'} ${shorten(hint, longestText - 202)}`;
}

function textOf(error: unknown, log: Log): string {
  return isWorkbenchError(error) ? fullText(error) : internalError(log, error).message;
}

/** For an unexpected error: the details go to the log, not to the agent. */
export function internalError(log: Log, error: unknown): Error {
  log.error(`Internal error: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`);
  return new Error('Internal error in the workbench. Its log has the details.');
}
