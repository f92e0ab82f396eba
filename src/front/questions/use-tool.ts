import type { UseToolInput } from '../../contract/types.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import type { Log } from '../../platform/log.js';
import type { ToolResult } from '../../results/tool-result.js';
import type { CallOptions, Continuation } from '../../workbench/ports/downstream.js';
import type { Workbench } from '../../workbench/workbench.js';
import type { AgentRequest, UseTool } from './agent-request.js';
import { askAll, failed, questionsOf, stateOf } from './input-required.js';
import { createModernCalls } from './modern-calls.js';

const mostRounds = 20;
// A server that asks nothing but to come back later gets this much time.
const breathMs = 250;

/** Carries a call, and the questions a server has meanwhile, between any agent and any server. `gone`: the agent's session has ended. */
export function createUseTool(workbench: Workbench, gone: CancelSignal, log: Log): UseTool {
  let modernCalls: UseTool | undefined;

  /** The agent can be asked at once, so the call goes on until it has a real result. */
  async function callAndAsk({ tool, arguments: args }: UseToolInput, request: AgentRequest): Promise<ToolResult> {
    const { agent, signal, onProgress, meta } = request;
    let continuation: Continuation | undefined;
    for (let round = 0; round < mostRounds; round++) {
      const options: CallOptions = { agent, signal, onProgress, meta, continuation };
      const result = await workbench.useTool(tool, args, options);
      if (!result.isInputRequired) return result;
      const required = result.value();
      const questions = questionsOf(required, tool, agent);
      continuation = { inputResponses: await askAll(questions, tool, request), ...stateOf(required) };
      // Not longer for a call that is cancelled meanwhile: the next one sees that.
      if (questions.size === 0) await new Promise((resolve) => setTimeout(resolve, breathMs));
    }
    throw failed(tool, `it asked more than ${mostRounds} times`);
  }

  async function callAndPark(call: UseToolInput, request: AgentRequest): Promise<ToolResult> {
    modernCalls ??= createModernCalls(workbench, gone, log);
    return modernCalls(call, request);
  }

  return (call, request) => (request.isModern ? callAndPark(call, request) : callAndAsk(call, request));
}
