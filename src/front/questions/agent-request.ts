import type { UseToolInput } from '../../contract/types.js';
import type { ToolResult } from '../../results/tool-result.js';
import type { Agent } from '../../workbench/ports/downstream.js';
import type { Follower } from './parked-calls.js';

/** One request of the agent's, as far as `use_tool` needs to know it. */
export interface AgentRequest extends Follower {
  readonly agent: Agent;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Under 2026-07-28 a question is the answer to the request, and the agent comes back with another request. */
  readonly comesBack: boolean;
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
}

export type UseTool = (call: UseToolInput, request: AgentRequest) => Promise<ToolResult>;
