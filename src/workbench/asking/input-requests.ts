import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { messageOf, type Place, WorkbenchError } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { type CancelSignal, toAbortSignal } from '../../jsonrpc/cancellation.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { maxWaitForAnswersMs } from '../../limits.js';
import type { Agent, Question, QuestionBudget } from '../ports/agent.js';
import { askedQuestion, countQuestion } from './asked-question.js';
import { canAnswer } from './can-answer.js';
import { inTurn } from './question-turns.js';

/** The call that the questions of a 2026-07-28 server belong to. */
export interface AskingRequest {
  readonly agent: Agent;
  readonly signal: CancelSignal;
}

/** The questions in `inputRequests` as the agent gets them; throws if it cannot get one of them. */
export function questionsIn(
  inputRequests: unknown,
  tool: ToolIdentifier,
  { capabilities }: Pick<Agent, 'capabilities'>,
  budget: QuestionBudget,
): Map<string, Question> {
  const questions = new Map<string, Question>();
  for (const [key, entry] of Object.entries(isRecord(inputRequests) ? inputRequests : {})) {
    if (!isRecord(entry) || typeof entry['method'] !== 'string') continue;
    const question = { method: entry['method'], ...(isRecord(entry['params']) && { params: entry['params'] }) };
    if (!canAnswer(capabilities, question)) throw unsupported(tool, question);
    questions.set(key, passedOn(question, tool, budget));
  }
  return questions;
}

function passedOn(question: Question, tool: ToolIdentifier, budget: QuestionBudget): Question {
  try {
    const shown = askedQuestion(question, tool);
    countQuestion(budget);
    return shown;
  } catch (cause) {
    throw refused(tool, question, cause);
  }
}

export async function askAll(
  questions: ReadonlyMap<string, Question>,
  tool: ToolIdentifier,
  request: AskingRequest,
  budget: QuestionBudget,
): Promise<JsonObject> {
  const answers = new Map<string, unknown>();
  for (const [key, question] of questions) {
    const answer = askInTime(question, tool, request, budget).catch((cause: unknown) => {
      throw unanswered(tool, question, cause);
    });
    answers.set(key, await answer);
  }
  return Object.fromEntries(answers);
}

/** All questions of a call together have a limit. */
async function askInTime(question: Question, tool: ToolIdentifier, request: AskingRequest, budget: QuestionBudget) {
  const { agent } = request;
  const since = performance.now();
  const limit = new AbortController();
  const late = new DownstreamFailure('timeout', `no answer to all questions within ${maxWaitForAnswersMs} ms`);
  const timer = setTimeout(() => limit.abort(late), maxWaitForAnswersMs - budget.waitedMs);
  try {
    const signal = AbortSignal.any([toAbortSignal(request.signal), limit.signal]);
    return await inTurn(agent, tool, signal, () => agent.ask(question, signal));
  } finally {
    clearTimeout(timer);
    budget.waitedMs += performance.now() - since;
  }
}

function placeOf({ toolbox, server, name }: ToolIdentifier): string {
  return `Tool '${name}' of server '${server}' (toolbox '${toolbox}')`;
}

function placed({ toolbox, server, name }: ToolIdentifier): Place {
  return { toolbox, server, tool: name };
}

export function failed(tool: ToolIdentifier, what: string): WorkbenchError {
  return new WorkbenchError('CALL_FAILED', `${placeOf(tool)} failed: ${what}`, { place: placed(tool) });
}

function unsupported(tool: ToolIdentifier, question: Question): WorkbenchError {
  const text = `${placeOf(tool)} failed: it requires ${nameOf(question)}, which this client does not support`;
  return new WorkbenchError('QUESTION_UNSUPPORTED', text, {
    place: placed(tool),
    hint: 'Pass what it needs in its arguments, or use another tool.',
    cause: question,
  });
}

function refused(tool: ToolIdentifier, question: Question, cause: unknown): WorkbenchError {
  const text = `${placeOf(tool)} failed: it requires ${nameOf(question)}, which was ${messageOf(cause)}`;
  return new WorkbenchError('QUESTION_REFUSED', text, { place: placed(tool), cause });
}

function unanswered(tool: ToolIdentifier, question: Question, cause: unknown): WorkbenchError {
  const text = `${placeOf(tool)} failed: the client did not answer ${nameOf(question)}: ${messageOf(cause)}`;
  return new WorkbenchError('QUESTION_UNANSWERED', text, { place: placed(tool), cause });
}

/** Only what looks like a method is quoted: the server may have put any text there, also a secret. */
function nameOf({ method, params }: Question): string {
  if (method.length > 60 || !/^[a-z_]+(?:\/[a-z_-]+)+$/i.test(method)) return 'an unknown method';
  return method === 'elicitation/create' && params?.['mode'] === 'url' ? `${method} (mode url)` : method;
}
