import type { UseToolInput } from '../../contract/types.js';
import type { ToolResult } from '../../results/tool-result.js';
import type { Agent } from '../../workbench/ports/agent.js';
import type { Follower } from './parked-calls.js';

/** One request of the agent's, with what `use_tool` needs of it. */
export interface AgentRequest extends Follower {
  readonly agent: Agent;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Under 2026-07-28 questions are the result of the request, and the agent repeats it with the answers. */
  readonly isModern: boolean;
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
}

export type UseTool = (call: UseToolInput, request: AgentRequest) => Promise<ToolResult>;
