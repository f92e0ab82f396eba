import type { OpenToolboxInput } from '../../contract/types.js';
import { maxRootsWaitMs } from '../../limits.js';
import { settlesWithin } from '../../platform/time-limit.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import type { Agent } from '../../workbench/ports/agent.js';
import type { Workbench } from '../../workbench/workbench.js';
import type { AgentRequest } from './agent-request.js';
import type { ModernCalls } from './modern-calls.js';
import type { Follower } from './parked-calls.js';

export type OpenToolbox = (input: OpenToolboxInput, request: AgentRequest) => Promise<ToolResult>;

/** Opens a toolbox. Its servers may ask for the agent's roots when they start, in either era. */
export function createOpenToolbox(workbench: Workbench, modernCalls: ModernCalls): OpenToolbox {
  async function open(input: OpenToolboxInput, agent: Agent, { signal, onProgress }: Follower): Promise<ToolResult> {
    const opened = await workbench.openToolbox(input, {
      agent,
      signal,
      onProgress: ({ ready, total, message }) => onProgress({ progress: ready, total, message }),
    });
    // Only text: some clients show structured content instead of it, others both.
    return new ValueResult({ content: [{ type: 'text', text: JSON.stringify(opened) }] });
  }

  /**
   * An agent of 2026-07-28 can only be asked until the call ends, and servers may list their tools before they have the answer.
   * They can ask for roots only, so one answer is for all of them: each question is a round trip, and clients limit those. Logins are
   * asked for by the workbench itself.
   */
  async function openAndAsk(input: OpenToolboxInput, asked: Agent, follower: Follower): Promise<ToolResult> {
    let roots: ReturnType<Agent['ask']> | undefined;
    const ask: Agent['ask'] = (question, signal) => {
      if (question.method !== 'roots/list') return asked.ask(question, signal);
      roots ??= asked.ask(question, new AbortController().signal);
      return roots;
    };
    const result = await open(input, { ...asked, ask }, follower);
    if (roots !== undefined) await settlesWithin(maxRootsWaitMs, roots);
    return result;
  }

  return (input, request) => {
    if (!request.isModern) return open(input, request.agent, request);
    // No server has an empty name, so this is the identifier of no tool.
    const tool = { toolbox: input.toolbox, server: '', name: 'open_toolbox' };
    return modernCalls.run(tool, undefined, request, ({ agent, ...follower }) => openAndAsk(input, agent, follower));
  };
}
