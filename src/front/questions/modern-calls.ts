import type { UseToolInput } from '../../contract/types.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { RequestProblem } from '../../jsonrpc/request-problem.js';
import { answerTimeoutMs, maxParkedCalls } from '../../limits.js';
import type { Log } from '../../platform/log.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import { newBudget, type QuestionBudget } from '../../workbench/ports/asked-question.js';
import type { Workbench } from '../../workbench/workbench.js';
import type { AgentRequest, UseTool } from './agent-request.js';
import { questionsOf, stateOf } from './input-required.js';
import { createParkedCalls } from './parked-calls.js';
import { createRequestStates, type RequestState } from './request-state.js';

/** A call that has ended, and what its questions have used up. */
interface Ended {
  readonly result: ToolResult;
  readonly budget: QuestionBudget;
}

/** Calls of 2026-07-28 agents, which cannot be asked during a request: the result is the questions, and the agent sends the request again with answers. */
export function createModernCalls(workbench: Workbench, gone: CancelSignal, log: Log): UseTool {
  const parked = createParkedCalls<Ended>(answerTimeoutMs, maxParkedCalls, () =>
    log.warn('agent: cancelled a call: its questions were not answered in time'),
  );
  gone.addEventListener('abort', () => parked.close(), { once: true });
  const states = createRequestStates(answerTimeoutMs);

  async function callAndPark(call: UseToolInput, request: AgentRequest): Promise<ToolResult> {
    const { tool } = call;
    const state = request.requestState === undefined ? {} : states.verify(request.requestState, tool);
    const steps =
      state &&
      (state.parked === undefined
        ? begin(call, request, state)
        : parked.resume(state.parked, request.inputResponses ?? {}, request));
    if (steps === undefined) {
      const reason = 'invalid_request_state';
      throw new RequestProblem(rpcCode.invalidParams, 'Invalid or expired requestState', { reason });
    }
    const step = await steps;
    if (step.is === 'waiting') {
      return new ValueResult({
        resultType: 'input_required',
        inputRequests: step.questions,
        requestState: states.sign({ parked: step.id }, tool),
      });
    }
    const { result, budget } = step.result;
    if (!result.isInputRequired) return result;
    const questions = questionsOf(result.value(), tool, request.agent, budget);
    const { requestState: downstream } = stateOf(result.value());
    return result.with({
      inputRequests: Object.fromEntries(questions),
      requestState: states.sign({ ...(downstream !== undefined && { downstream }), asked: budget.asked }, tool),
    });
  }

  function begin({ tool, arguments: args }: UseToolInput, request: AgentRequest, state: RequestState) {
    const { inputResponses, meta, agent } = request;
    const { downstream: requestState, asked } = state;
    const budget = newBudget(asked);
    const continuation = {
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    };
    return parked.start(
      async (asker, { signal, onProgress }) => {
        const options = { agent: asker, signal, onProgress, meta, continuation, budget };
        return { result: await workbench.useTool(tool, args, options), budget };
      },
      agent,
      request,
    );
  }

  return callAndPark;
}
