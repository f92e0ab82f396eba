import type { UseToolInput } from '../../contract/types.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { RequestProblem } from '../../jsonrpc/request-problem.js';
import { answerTimeoutMs, maxParkedCalls } from '../../limits.js';
import type { Log } from '../../platform/log.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import type { Workbench } from '../../workbench/workbench.js';
import type { AgentRequest, UseTool } from './agent-request.js';
import { questionsOf, stateOf } from './input-required.js';
import { createParkedCalls } from './parked-calls.js';
import { createRequestStates } from './request-state.js';

/** Calls of 2026-07-28 agents, which cannot be asked during a request: the result is the questions, and the agent sends the request again with answers. */
export function createModernCalls(workbench: Workbench, gone: CancelSignal, log: Log): UseTool {
  const parked = createParkedCalls<ToolResult>(answerTimeoutMs, maxParkedCalls, () =>
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
        ? begin(call, request, state.downstream)
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
    const { result } = step;
    if (!result.isInputRequired) return result;
    // Only checks that the agent supports all questions; they are forwarded as they are.
    questionsOf(result.value(), tool, request.agent);
    const { requestState: downstream } = stateOf(result.value());
    return downstream === undefined ? result : result.with({ requestState: states.sign({ downstream }, tool) });
  }

  function begin({ tool, arguments: args }: UseToolInput, request: AgentRequest, requestState: string | undefined) {
    const { inputResponses, meta, agent } = request;
    const continuation = {
      ...(inputResponses && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    };
    return parked.start(
      (asked, { signal, onProgress }) =>
        workbench.useTool(tool, args, { agent: asked, signal, onProgress, meta, continuation }),
      agent,
      request,
    );
  }

  return callAndPark;
}
