import { CancelledByUser } from '../../contract/downstream-failure.js';
import type { UseToolInput } from '../../contract/types.js';
import { maxInputRounds } from '../../limits.js';
import type { ToolResult } from '../../results/tool-result.js';
import { newBudget } from '../../workbench/asking/asked-question.js';
import { askAll, failed } from '../../workbench/asking/input-requests.js';
import type { QuestionBudget } from '../../workbench/ports/agent.js';
import type { Continuation } from '../../workbench/ports/downstream.js';
import type { HandledCallOptions } from '../../workbench/ports/running-calls.js';
import { cancelledByUser } from '../../workbench/servers/failures.js';
import type { Workbench } from '../../workbench/workbench.js';
import type { AgentRequest, UseTool } from './agent-request.js';
import { questionsOf, stateOf } from './input-required.js';
import type { ModernCalls } from './modern-calls.js';

// The delay before the next round if the server sent a state but no question.
const emptyRoundDelayMs = 250;

/** Runs a call and relays the server's questions, for any combination of eras. */
export function createUseTool(workbench: Workbench, modernCalls: ModernCalls): UseTool {
  function callAndAsk(call: UseToolInput, request: AgentRequest): PromiseLike<ToolResult> {
    const budget = newBudget();
    const first = workbench.useTool(call.tool, call.arguments, optionsOf(request, budget, undefined));
    return first.then((result) => (result.isInputRequired ? askAndGoOn(result, call, request, budget) : result));
  }

  /** The agent can be asked during the request, so the call continues until it has a final result. */
  async function askAndGoOn(
    first: ToolResult,
    { tool, arguments: args }: UseToolInput,
    request: AgentRequest,
    budget: QuestionBudget,
  ): Promise<ToolResult> {
    let result = first;
    for (let round = 1; result.isInputRequired; round++) {
      const required = result.value();
      const questions = questionsOf(required, tool, request.agent, budget);
      const inputResponses = await askAll(questions, tool, request, budget).catch((error: unknown) => {
        throw request.signal.reason instanceof CancelledByUser ? cancelledByUser(tool, true) : error;
      });
      const continuation = { inputResponses, ...stateOf(required) };
      // Not cut short by a cancellation: the next round fails with it.
      if (questions.size === 0) await new Promise((resolve) => setTimeout(resolve, emptyRoundDelayMs));
      if (round === maxInputRounds) throw failed(tool, `it required input more than ${maxInputRounds} times`);
      result = await workbench.useTool(tool, args, optionsOf(request, budget, continuation));
    }
    return result;
  }

  return (call, request) =>
    request.isModern
      ? modernCalls.run(call.tool, call.arguments, request, async (options) =>
          workbench.useTool(call.tool, call.arguments, options),
        )
      : callAndAsk(call, request);
}

function optionsOf(
  { agent, signal, handle, onProgress, meta }: AgentRequest,
  budget: QuestionBudget,
  continuation: Continuation | undefined,
): HandledCallOptions {
  return { agent, signal, handle, onProgress, meta, continuation, budget };
}
