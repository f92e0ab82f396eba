import type { UseToolInput } from '../../contract/types.js';
import { maxInputRounds } from '../../limits.js';
import type { ToolResult } from '../../results/tool-result.js';
import { newBudget } from '../../workbench/asking/asked-question.js';
import type { CallOptions, Continuation } from '../../workbench/ports/downstream.js';
import type { Workbench } from '../../workbench/workbench.js';
import type { AgentRequest, UseTool } from './agent-request.js';
import { askAll, failed, questionsOf, stateOf } from './input-required.js';
import type { ModernCalls } from './modern-calls.js';

// The delay before the next round if the server sent a state but no question.
const emptyRoundDelayMs = 250;

/** Runs a call and relays the server's questions, for any combination of eras. */
export function createUseTool(workbench: Workbench, modernCalls: ModernCalls): UseTool {
  /** The agent can be asked during the request, so the call continues until it has a final result. */
  async function callAndAsk({ tool, arguments: args }: UseToolInput, request: AgentRequest): Promise<ToolResult> {
    const { agent, signal, onProgress, meta } = request;
    const budget = newBudget();
    let continuation: Continuation | undefined;
    for (let round = 0; round < maxInputRounds; round++) {
      const options: CallOptions = { agent, signal, onProgress, meta, continuation, budget };
      const result = await workbench.useTool(tool, args, options);
      if (!result.isInputRequired) return result;
      const required = result.value();
      const questions = questionsOf(required, tool, agent, budget);
      continuation = { inputResponses: await askAll(questions, tool, request, budget), ...stateOf(required) };
      // Not cut short by a cancellation: the next round fails with it.
      if (questions.size === 0) await new Promise((resolve) => setTimeout(resolve, emptyRoundDelayMs));
    }
    throw failed(tool, `it required input more than ${maxInputRounds} times`);
  }

  return (call, request) =>
    request.isModern
      ? modernCalls.run(call.tool, call.arguments, request, async (options) =>
          workbench.useTool(call.tool, call.arguments, options),
        )
      : callAndAsk(call, request);
}
