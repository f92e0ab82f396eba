import type { ToolIdentifier } from '../../contract/types.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { RequestProblem } from '../../jsonrpc/request-problem.js';
import { answerTimeoutMs, maxParkedCalls } from '../../limits.js';
import type { Log } from '../../platform/log.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import { newBudget } from '../../workbench/asking/asked-question.js';
import type { QuestionBudget } from '../../workbench/ports/agent.js';
import type { CallOptions } from '../../workbench/ports/downstream.js';
import type { HandledCallOptions } from '../../workbench/ports/running-calls.js';
import { digestOf } from '../../workbench/rules/arguments-digest.js';
import type { CallsInFlight } from '../running/running-calls.js';
import type { AgentRequest } from './agent-request.js';
import { questionsOf, stateOf } from './input-required.js';
import { createParkedCalls, type RunCall } from './parked-calls.js';
import { createRequestStates, type RequestState, type Signing } from './request-state.js';

/** Calls of 2026-07-28 agents, which cannot be asked during a request: the result is the questions, and the agent sends the request again with answers. */
export interface ModernCalls {
  /**
   * Runs a call until it ends or asks something. `tool`: the tool that its `requestState` is valid for; `args`: what questions
   * of our own are about.
   */
  run(
    tool: ToolIdentifier,
    args: unknown,
    request: AgentRequest,
    call: (options: RequiredOptions) => Promise<ToolResult>,
  ): Promise<ToolResult>;
}

type RequiredOptions = HandledCallOptions & Required<Pick<CallOptions, 'agent' | 'signal' | 'onProgress'>>;

/** A call that has ended, and what its questions have used up. */
interface Ended {
  readonly result: ToolResult;
  readonly budget: QuestionBudget;
}

/** `inFlight`: the calls of the session. `gone`: the agent's session has ended. */
export function createModernCalls(
  gone: CancelSignal,
  log: Log,
  inFlight?: CallsInFlight,
  signing?: Signing,
): ModernCalls {
  // Most sessions are of one era only.
  let session: ReturnType<typeof begin> | undefined;

  const expired = () => log.warn('agent: cancelled a call: its questions were not answered in time');

  function begin() {
    const parked = createParkedCalls<Ended>(answerTimeoutMs, maxParkedCalls, expired, inFlight);
    gone.addEventListener('abort', () => parked.close(), { once: true });
    return { parked, states: createRequestStates(answerTimeoutMs, signing) };
  }

  return {
    async run(tool, args, given, call) {
      session ??= begin();
      const { parked, states } = session;
      const verified = given.requestState === undefined ? {} : states.verify(given.requestState, tool);
      // The answer to a question of ours is about these arguments, and about no others.
      const isOther = verified?.args !== undefined && verified.args !== digestOf(args);
      if (isOther && verified.parked !== undefined) parked.cancel(verified.parked);
      const [state, request] = isOther ? [{}, { ...given, inputResponses: undefined }] : [verified, given];
      const steps =
        state &&
        (state.parked === undefined
          ? parked.start(runWith(request, state, call), request.agent, request)
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
          requestState: states.sign({ parked: step.id, ...(step.isOwn && { args: digestOf(args) ?? '' }) }, tool),
        });
      }
      const { result, budget } = step.result;
      if (!result.isInputRequired) return result;
      const questions = questionsOf(result.value(), tool, request.agent, budget);
      const { requestState: downstream } = stateOf(result.value());
      return result.with({
        inputRequests: Object.fromEntries(questions),
        requestState: states.sign(
          {
            ...(downstream !== undefined && { downstream }),
            asked: budget.asked,
            ...(budget.approval !== undefined && { approval: budget.approval }),
          },
          tool,
        ),
      });
    },
  };
}

/** The call as the one who answers its questions runs it. */
function runWith(
  { inputResponses, meta }: AgentRequest,
  { downstream: requestState, asked, approval }: RequestState,
  call: (options: RequiredOptions) => Promise<ToolResult>,
): RunCall<Ended> {
  const budget = newBudget(asked, approval);
  const continuation = {
    ...(inputResponses && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
  return async (agent, { signal, handle, onProgress }) => ({
    result: await call({ agent, signal, handle, onProgress, meta, continuation, budget }),
    budget,
  });
}
