import { messageOf, type Place, WorkbenchError } from '../errors.js';
import { isRecord } from '../json.js';
import { type Log, silentLog } from '../log.js';
import type { CallToolResult, ToolIdentifier, UseToolInput } from '../types.js';
import { type Agent, type CallOptions, type Continuation, canAnswer, type Question } from '../workbench/downstream.js';
import type { Workbench } from '../workbench/workbench.js';
import { createParkedCalls, type Follower } from './parked-calls.js';
import { createRequestStates, InvalidRequestState } from './request-state.js';

const answerWithinMs = 10 * 60_000;
const mostParkedCalls = 100;
const mostRounds = 20;
// A server that asks nothing but to come back later gets this much time.
const breathMs = 250;

/** One request of the agent's, as far as `use_tool` needs to know it. */
export interface AgentRequest extends Follower {
  readonly agent: Agent;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Under 2026-07-28 a question is the answer to the request, and the agent comes back with another request. */
  readonly comesBack: boolean;
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
}

export type UseTool = (call: UseToolInput, request: AgentRequest) => Promise<CallToolResult>;

/** Carries a call, and the questions a server has on the way, between any agent and any server. */
export function createUseTool(workbench: Workbench, log: Log = silentLog): UseTool {
  const parked = createParkedCalls(answerWithinMs, mostParkedCalls, () =>
    log.warn('agent: a call that waited for answers was given up, nobody came'),
  );
  const states = createRequestStates(answerWithinMs);

  /** The agent can be asked at once, so the call goes on until it has a real result. */
  async function callAndAsk({ tool, arguments: args }: UseToolInput, request: AgentRequest): Promise<CallToolResult> {
    const { agent, signal, onProgress, meta } = request;
    let continuation: Continuation | undefined;
    for (let round = 0; round < mostRounds; round++) {
      const options: CallOptions = { agent, signal, onProgress, meta, ...(continuation && { continuation }) };
      const result = await workbench.useTool(tool, args, options);
      if (result['resultType'] !== 'input_required') return result;
      const questions = questionsOf(result, tool, agent);
      continuation = { inputResponses: await askAll(questions, tool, request), ...stateOf(result) };
      // Not longer for a call that is cancelled meanwhile: the next one sees that.
      if (questions.size === 0) await new Promise((resolve) => setTimeout(resolve, breathMs));
    }
    throw failed(tool, `it asked more than ${mostRounds} times`);
  }

  /** The agent cannot be asked at once: questions go out as the answer, and the agent comes back. */
  async function callAndPark(call: UseToolInput, request: AgentRequest): Promise<CallToolResult> {
    const { tool } = call;
    const state = request.requestState === undefined ? {} : states.verify(request.requestState, tool);
    const steps =
      state &&
      (state.parked === undefined
        ? begin(call, request, state.downstream)
        : parked.resume(state.parked, request.inputResponses ?? {}, request));
    if (steps === undefined) throw new InvalidRequestState('Invalid or expired requestState');
    const step = await steps;
    if (step.is === 'waiting') {
      return {
        resultType: 'input_required',
        inputRequests: step.questions,
        requestState: states.sign({ parked: step.id }, tool),
      };
    }
    if (step.result['resultType'] !== 'input_required') return step.result;
    // Only to see that the agent can be asked all of them: it gets them as they are.
    questionsOf(step.result, tool, request.agent);
    const { requestState: downstream } = stateOf(step.result);
    return { ...step.result, ...(downstream !== undefined && { requestState: states.sign({ downstream }, tool) }) };
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
      agent.capabilities,
      request,
    );
  }

  return (call, request) => (request.comesBack ? callAndPark(call, request) : callAndAsk(call, request));
}

/** The questions in an `input_required` result; fails at once if the agent cannot be asked one of them. */
function questionsOf(result: CallToolResult, tool: ToolIdentifier, { capabilities }: Agent): Map<string, Question> {
  const questions = new Map<string, Question>();
  for (const [key, entry] of Object.entries(isRecord(result['inputRequests']) ? result['inputRequests'] : {})) {
    if (!isRecord(entry) || typeof entry['method'] !== 'string') continue;
    const question = { method: entry['method'], ...(isRecord(entry['params']) && { params: entry['params'] }) };
    if (!canAnswer(capabilities, question)) throw unsupported(tool, question);
    questions.set(key, question);
  }
  if (questions.size === 0 && stateOf(result).requestState === undefined) {
    throw failed(tool, 'it wants an answer, but does not say to what');
  }
  return questions;
}

async function askAll(
  questions: ReadonlyMap<string, Question>,
  tool: ToolIdentifier,
  { agent, signal }: AgentRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const answers = new Map<string, unknown>();
  // One after the other: a user can answer only one at a time.
  for (const [key, question] of questions) {
    const answer = agent.ask(question, signal).catch((cause: unknown) => {
      throw unanswered(tool, question, cause);
    });
    answers.set(key, await answer);
  }
  return Object.fromEntries(answers);
}

function stateOf(result: CallToolResult): { requestState?: string } {
  const { requestState } = result;
  return typeof requestState === 'string' ? { requestState } : {};
}

function placeOf({ toolbox, server, name }: ToolIdentifier): string {
  return `Tool '${name}' of server '${server}' (toolbox '${toolbox}')`;
}

function placed({ toolbox, server, name }: ToolIdentifier): Place {
  return { toolbox, server, tool: name };
}

function failed(tool: ToolIdentifier, what: string): WorkbenchError {
  return new WorkbenchError('CALL_FAILED', `${placeOf(tool)} failed: ${what}`, { place: placed(tool) });
}

function unsupported(tool: ToolIdentifier, question: Question): WorkbenchError {
  const text = `${placeOf(tool)} failed: it asks ${nameOf(question)}, which this client does not support`;
  return new WorkbenchError('QUESTION_UNSUPPORTED', text, {
    place: placed(tool),
    hint: 'Give it what it needs in its arguments, or use another tool.',
    cause: question,
  });
}

function unanswered(tool: ToolIdentifier, question: Question, cause: unknown): WorkbenchError {
  const text = `${placeOf(tool)} failed: the client did not answer ${nameOf(question)}: ${messageOf(cause)}`;
  return new WorkbenchError('QUESTION_UNANSWERED', text, { place: placed(tool), cause });
}

function nameOf({ method, params }: Question): string {
  return method === 'elicitation/create' && params?.['mode'] === 'url' ? `${method} (mode url)` : method;
}
