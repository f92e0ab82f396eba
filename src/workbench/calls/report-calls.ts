import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { type ErrorCode, isWorkbenchError, messageOf } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { longestToolName } from '../../limits.js';
import type { ToolResult } from '../../results/tool-result.js';
import { firstLine } from '../../text/first-line.js';
import { shorten } from '../../text/shorten.js';
import type { Agent } from '../ports/agent.js';
import type { CallOptions } from '../ports/downstream.js';
import type { Observer } from '../ports/observer.js';
import { traceIdOf } from './trace-id.js';

/** The call was sent, or may have been. With any other code nothing was. */
function isSent(code: ErrorCode): boolean {
  return (code.startsWith('CALL_') && code !== 'CALL_NOT_APPROVED') || code.startsWith('QUESTION_');
}

const unmeasured = { sent: undefined, received: undefined };

/** Counts up in this process: ids of calls must differ between its sessions. */
let calls = 0;

/** Reports calls and openings. `began`: by `performance.now()`. */
export interface CallReports {
  /** The number of a call that begins. */
  next(): number;
  result(id: ToolIdentifier, result: ToolResult, call: number, began: number, options: CallOptions): void;
  failure(id: ToolIdentifier, error: unknown, call: number, began: number, options: CallOptions): void;
  /** How the opening of a toolbox ends. */
  opening<T>(toolbox: string, agent: Agent | undefined, open: () => Promise<T>): Promise<T>;
}

export function createCallReports(observer: Observer): CallReports {
  return {
    next: () => ++calls,
    result({ toolbox, server, name: tool }, result, call, began, { agent, meta }) {
      const is = 'called';
      const outcome = result.isError ? 'error' : result.isInputRequired ? 'asked' : 'ok';
      // Written out: this is done for every call, and spreading an object costs more than all the rest.
      const ms = performance.now() - began;
      const { sent, received } = result.sizes ?? unmeasured;
      const at = Date.now();
      const trace = traceIdOf(meta);
      const client = agent?.client;
      const { reason } = result;
      observer.report({ is, at, client, call, trace, toolbox, server, tool, ms, outcome, reason, sent, received });
    },
    failure(id, error, call, began, { agent, meta }) {
      const code = isWorkbenchError(error) ? error.code : 'CALL_FAILED';
      const facts = { ...factsOf(id, agent), call, trace: traceIdOf(meta), reason: reasonOf(error) };
      if (isSent(code))
        observer.report({ is: 'called', ...facts, ms: performance.now() - began, outcome: 'failed', code });
      else observer.report({ is: 'refused', ...facts, code });
    },
    async opening(name, agent, open) {
      const began = performance.now();
      const facts = () => ({ at: Date.now(), client: agent?.client, toolbox: shorten(name, longestToolName) });
      try {
        const opened = await open();
        observer.report({ is: 'opened', ...facts(), ms: performance.now() - began });
        return opened;
      } catch (error) {
        const code = isWorkbenchError(error) ? error.code : 'TOOLBOX_UNAVAILABLE';
        observer.report({ is: 'refused', ...facts(), code, reason: reasonOf(error) });
        throw error;
      }
    },
  };
}

/** The cause in the server, if there is one, without the names that the message adds around it. */
function reasonOf(error: unknown): string | undefined {
  const cause = isWorkbenchError(error) && error.cause instanceof DownstreamFailure ? error.cause : error;
  return firstLine(messageOf(cause));
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
