import type { CallToolResult, ToolIdentifier } from '../../contract/types.js';
import { failed, questionsIn } from '../../workbench/asking/input-requests.js';
import type { Agent, Question, QuestionBudget } from '../../workbench/ports/agent.js';

/** The questions in an `input_required` result as the agent gets them; throws if it cannot get one of them. */
export function questionsOf(
  result: CallToolResult,
  tool: ToolIdentifier,
  agent: Agent,
  budget: QuestionBudget,
): Map<string, Question> {
  const questions = questionsIn(result['inputRequests'], tool, agent, budget);
  if (questions.size === 0 && stateOf(result).requestState === undefined) {
    throw failed(tool, 'it requires input but sent no question');
  }
  return questions;
}

export function stateOf(result: CallToolResult): { requestState?: string } {
  const { requestState } = result;
  return typeof requestState === 'string' ? { requestState } : {};
}
