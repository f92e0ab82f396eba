import { type ErrorCode, isWorkbenchError, messageOf, WorkbenchError } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import type { AskingCall } from './asking-call.js';

const longestReason = 300;

/** The client cannot show the question. */
export function cannotAsk(call: AskingCall): WorkbenchError {
  const why = 'a rule requires that a person approves it, and this client cannot ask';
  return refusal(call.tool, why, lineToWrite(call));
}

/** The client did not answer the question. */
export function unanswered(call: AskingCall, cause: unknown): WorkbenchError {
  if (isWorkbenchError(cause)) return cause;
  const reason = shorten(printableLine(messageOf(cause)), longestReason);
  return refusal(
    call.tool,
    `a rule requires that a person approves it, and no approval was given: ${reason}`,
    lineToWrite(call),
  );
}

export function declined(tool: ToolIdentifier): WorkbenchError {
  return refusal(tool, 'the user declined it', 'Do not repeat this call; ask the user what to do instead.');
}

export function declinedBefore(tool: ToolIdentifier): WorkbenchError {
  return refusal(
    tool,
    'the user declined the same call less than a minute ago, and was not asked again',
    'Do not repeat this call; ask the user what to do instead.',
  );
}

/** `why`: the arguments cannot be shown to anybody. */
export function notShown(tool: ToolIdentifier, why: string): WorkbenchError {
  return refusal(tool, `a rule requires that a person approves it, and ${why}`);
}

export function cancelled(tool: ToolIdentifier): WorkbenchError {
  return refusal(tool, 'the agent cancelled the call', undefined, 'CALL_CANCELLED');
}

function refusal(
  { toolbox, server, name }: ToolIdentifier,
  why: string,
  hint?: string,
  code: ErrorCode = 'CALL_NOT_APPROVED',
): WorkbenchError {
  return new WorkbenchError(
    code,
    `Tool '${name}' of server '${server}' (toolbox '${toolbox}') was not called: ${why}`,
    {
      place: { toolbox, server, tool: name },
      ...(hint !== undefined && { hint }),
    },
  );
}

/** What the user can write, and where, to have the tool called without a question. */
function lineToWrite({ server, tool }: AskingCall): string {
  const own = server.rules.find(({ from }) => from === 'server')?.allow ?? [];
  // What begins with @ is a word in rules, and * stands for any name; ? is narrower.
  const rule = tool.name.replace(/^@|\*/g, '?');
  const line = `"allow": ${JSON.stringify([...own, rule])}`;
  const file = server.file === undefined ? 'the configuration' : server.file;
  return `Only the user can allow it: ${line} in the entry of server '${tool.server}' (toolbox '${tool.toolbox}') in ${file}.`;
}
