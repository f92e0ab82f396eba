import type { ToolIdentifier } from '../../contract/types.js';
import { toAbortSignal } from '../../jsonrpc/cancellation.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import {
  answerTimeoutMs,
  declinedCallMs,
  longestShownName,
  maxCarriedApprovals,
  mostShownArguments,
} from '../../limits.js';
import { crypto } from '../../platform/crypto.js';
import type { ReplaceAny } from '../../text/replace-any.js';
import { canAnswer } from '../asking/can-answer.js';
import type { inTurn as InTurn } from '../asking/question-turns.js';
import type { Agent } from '../ports/agent.js';
import type { MaskFor } from '../ports/mask.js';
import { approvalQuestion, readApproval, shownArguments } from './approval-question.js';
import { digestOf } from './arguments-digest.js';
import type { Approvals, AskingCall, ToolCall } from './asking-call.js';
import { cancelled, cannotAsk, declined, declinedBefore, notShown, unanswered } from './refusals.js';

/** What one session has decided. */
interface Decisions {
  /** Tools that may be called with any arguments until the session ends. */
  readonly tools: Set<string>;
  /** Calls that were declined, and when. */
  readonly declined: Map<string, number>;
}

/** `inTurn`: asks one question of a server at a time. */
export function createCallApprovals(maskFor: MaskFor, inTurn: typeof InTurn): Approvals {
  const sessions = new WeakMap<Agent['gone'], Decisions>();
  /** Approvals for the next round of a call, by an unguessable name. */
  const carried = new Map<string, string>();

  function decisionsOf({ gone }: Agent): Decisions {
    const known = sessions.get(gone) ?? { tools: new Set(), declined: new Map() };
    sessions.set(gone, known);
    return known;
  }

  async function ask(call: AskingCall, agent: Agent, digest: string): Promise<void> {
    const { server, tool, args, options } = call;
    const { tools, declined: declinedCalls } = decisionsOf(agent);
    const shown = readable(args, maskFor(server), tool);
    const key = keyOf(call);
    const isFresh = (at: number) => performance.now() - at < declinedCallMs;
    const limit = new AbortController();
    const late = new Error(`no answer within ${answerTimeoutMs} ms`);
    const timer = setTimeout(() => limit.abort(late), answerTimeoutMs);
    const signals = [limit.signal, ...(options.signal === undefined ? [] : [toAbortSignal(options.signal)])];
    const signal = AbortSignal.any(signals);

    /** While it waited for its turn, the same question may have been answered. */
    async function put(): Promise<void> {
      if (tools.has(key)) return;
      if (isFresh(declinedCalls.get(digest) ?? Number.NEGATIVE_INFINITY)) throw declinedBefore(tool);
      const answer = readApproval(await agent.ask(approvalQuestion(tool, shown), signal));
      if (answer === 'session') tools.add(key);
      if (answer !== 'no') return;
      for (const [other, at] of declinedCalls) if (!isFresh(at)) declinedCalls.delete(other);
      declinedCalls.set(digest, performance.now());
      throw declined(tool);
    }

    try {
      await (agent.isAskedByResult ? put() : inTurn(agent, tool, signal, put));
    } catch (error) {
      if (options.signal?.aborted === true) throw cancelled(tool);
      throw unanswered(call, error);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async obtain(call) {
      const { agent } = call.options;
      if (agent === undefined || !canAnswer(agent.capabilities, approvalQuestion(call.tool, ''))) throw cannotAsk(call);
      const digest = digestOfCall(call);
      if (digest === undefined) throw notShown(call.tool, 'its arguments are nested too deeply to be shown');
      if (decisionsOf(agent).tools.has(keyOf(call))) return;
      await ask(call, agent, digest);
    },

    carryOn(call) {
      const { budget } = call.options;
      const digest = digestOfCall(call);
      if (budget === undefined || digest === undefined) return;
      const [oldest] = carried.keys();
      if (carried.size >= maxCarriedApprovals && oldest !== undefined) carried.delete(oldest);
      budget.approval = crypto().randomUUID();
      carried.set(budget.approval, digest);
    },

    isCarriedOn(call) {
      const { budget } = call.options;
      const given = budget?.approval;
      if (budget === undefined || given === undefined) return false;
      budget.approval = undefined;
      const digest = carried.get(given);
      carried.delete(given);
      return digest !== undefined && digest === digestOfCall(call);
    },
  };
}

/** Throws if there are too many arguments for a person to read. */
function readable(args: JsonObject, mask: ReplaceAny, tool: ToolIdentifier): string {
  const shown = shownArguments(args, mask);
  if (shown === undefined) throw notShown(tool, tooMany);
  return shown;
}

const tooMany = `it has more than ${mostShownArguments} arguments, or one whose name is longer than ${longestShownName} characters: too much for a person to read`;

/** Names the tool of an entry: that of another entry under the same names is another one. */
function keyOf({ server, tool }: AskingCall): string {
  return JSON.stringify([...namesOf(tool), server.fingerprint]);
}

function namesOf({ toolbox, server, name }: ToolIdentifier): string[] {
  return [toolbox, server, name];
}

/** Of the tool and its arguments. Undefined if they are nested too deeply to be shown. */
function digestOfCall({ tool, args }: ToolCall): string | undefined {
  return digestOf([namesOf(tool), args]);
}
