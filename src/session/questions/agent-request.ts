import type { UseToolInput } from '../../contract/types.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type { ToolResult } from '../../results/tool-result.js';
import type { Agent } from '../../workbench/ports/agent.js';
import type { Follower } from './parked-calls.js';

/** One request from the agent, as `use_tool` needs it. */
export interface AgentRequest extends Follower {
  readonly agent: Agent;
  readonly meta: JsonObject | undefined;
  /** Under 2026-07-28 the result of a request may be questions; the agent sends the request again with the answers. */
  readonly isModern: boolean;
  readonly requestState: string | undefined;
  readonly inputResponses: JsonObject | undefined;
}

export type UseTool = (call: UseToolInput, request: AgentRequest) => PromiseLike<ToolResult>;
