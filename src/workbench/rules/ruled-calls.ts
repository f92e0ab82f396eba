import type { ServerConfig } from '../../config/config.js';
import type { Tool } from '../../contract/types.js';
import { loadPart } from '../../platform/load-part.js';
import type { ToolResult } from '../../results/tool-result.js';
import { inTurn } from '../asking/question-turns.js';
import type { MaskFor } from '../ports/mask.js';
import { ApprovalNeeded, type Approvals, EntryChanged, type ToolCall } from './asking-call.js';
import { hasRules, judgeOf } from './verdict.js';

/** Sends a call, once it may be sent. `isApproved`: a person has agreed to it. */
export type Send = (isApproved: boolean) => Promise<ToolResult>;

/** Calls of tools that a person may have to be asked about. */
export interface RuledCalls {
  /** Whether this is the next round of a call that was approved: its server required input. */
  isCarriedOn(call: ToolCall): Promise<boolean>;
  /** Sends a call again that was not sent, after asking about it if that was the reason. Throws any other error. */
  sendAfter(error: unknown, call: ToolCall, send: Send, isApproved: boolean): Promise<ToolResult>;
  /** To be called with the result of an approved call: if the server requires input, the next round is approved, too. */
  ended(result: ToolResult, call: ToolCall): Promise<void>;
}

/** The code that asks is a part, loaded on demand: most configurations have no rule that asks. */
export function createRuledCalls(maskFor: MaskFor): RuledCalls {
  let part: Promise<Approvals> | undefined;

  async function load(): Promise<Approvals> {
    part ??= loadPart(() => import('./call-approvals.js')).then(({ createCallApprovals }) =>
      createCallApprovals(maskFor, inTurn),
    );
    try {
      return await part;
    } catch (error) {
      // The next call retries it.
      part = undefined;
      throw error;
    }
  }

  async function ended(result: ToolResult, call: ToolCall): Promise<void> {
    if (result.isInputRequired) (await load()).carryOn(call);
  }

  return {
    isCarriedOn: async (call) => (await load()).isCarriedOn(call),
    ended,
    async sendAfter(error, call, send, given) {
      let cause = error;
      let isApproved = given;
      for (;;) {
        if (cause instanceof ApprovalNeeded) {
          await (await load()).obtain({ ...call, server: cause.server });
          isApproved = true;
        } else if (!(cause instanceof EntryChanged)) throw cause;
        try {
          // The entry, the server and its tools may have changed during the question.
          const result = await send(isApproved);
          if (isApproved) await ended(result, call);
          return result;
        } catch (another) {
          cause = another;
        }
      }
    },
  };
}

/** Throws if a tool may not be called yet by the rules of this entry. */
export function assertCallable(server: ServerConfig, tool: Tool, isApproved: boolean): void {
  if (!hasRules(server)) return;
  const verdict = judgeOf(server)(tool);
  if (verdict === 'asks' && !isApproved) throw new ApprovalNeeded(server);
  // It was found under an earlier entry.
  if (verdict === 'hidden' || verdict === 'denied') throw new EntryChanged('the entry has changed');
}
