import { type ErrorCode, isWorkbenchError } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { longestToolName } from '../../limits.js';
import type { ToolResult } from '../../results/tool-result.js';
import { shorten } from '../../text/shorten.js';
import type { Agent } from '../ports/agent.js';
import type { Observer } from '../ports/observer.js';

/** The call was sent, or may have been. With any other code nothing was. */
function isSent(code: ErrorCode): boolean {
  return (code.startsWith('CALL_') && code !== 'CALL_NOT_APPROVED') || code.startsWith('QUESTION_');
}

const unmeasured = { sent: undefined, received: undefined };

/** `began`: by `performance.now()`. */
export function reportResult(
  observer: Observer,
  id: ToolIdentifier,
  result: ToolResult,
  began: number,
  agent: Agent | undefined,
): void {
  const { toolbox, server, name: tool } = id;
  const outcome = result.isError ? 'error' : result.isInputRequired ? 'asked' : 'ok';
  // Written out: this is done for every call, and spreading an object costs more than all the rest.
  const ms = performance.now() - began;
  const { sent, received } = result.sizes ?? unmeasured;
  observer.called({ at: Date.now(), client: agent?.client, toolbox, server, tool, ms, outcome, sent, received });
}

export function reportFailure(
  observer: Observer,
  id: ToolIdentifier,
  error: unknown,
  began: number,
  agent: Agent | undefined,
): void {
  const code = isWorkbenchError(error) ? error.code : 'CALL_FAILED';
  const facts = factsOf(id, agent);
  if (isSent(code)) observer.called({ ...facts, ms: performance.now() - began, outcome: 'failed', code });
  else observer.refused({ ...facts, code });
}

/** `error` is undefined if the toolbox was opened. */
export function reportOpening(
  observer: Observer,
  toolbox: string,
  error: unknown,
  began: number,
  agent: Agent | undefined,
): void {
  const facts = { at: Date.now(), client: agent?.client, toolbox: shorten(toolbox, longestToolName) };
  if (error === undefined) observer.opened({ ...facts, ms: performance.now() - began });
  else observer.refused({ ...facts, code: isWorkbenchError(error) ? error.code : 'TOOLBOX_UNAVAILABLE' });
}

/** Names that do not exist are the agent's, and may have any length. */
function factsOf({ toolbox, server, name }: ToolIdentifier, agent: Agent | undefined) {
  return {
    at: Date.now(),
    client: agent?.client,
    toolbox: shorten(toolbox, longestToolName),
    server: shorten(server, longestToolName),
    tool: shorten(name, longestToolName),
  };
}
