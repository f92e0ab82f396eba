import { messageOf } from '../contract/errors.js';
import { InFlight } from '../jsonrpc/in-flight.js';
import { isRecord } from '../jsonrpc/json.js';
import { failureFrom, type RequestId, type RpcFailure, type RpcMessage, type RpcResult } from '../jsonrpc/messages.js';
import type { Computer } from '../platform/computer.js';
import { loadPart } from '../platform/load-part.js';
import type { Log } from '../platform/log.js';
import type { KeptResults } from '../results/kept/kept-results.js';
import type { Calls } from './conversation.js';
import type { FittedAnswer, FittedAnswers } from './fitted-answer.js';
import { type FittedCall, fittedCall, isPlainlyShown } from './fitted-call.js';
import { type AgentOutput, withSend } from './transport.js';

/** Makes results of calls fit the client, and keeps what did not fit. It stands between a session and its transport. */
export interface Fitting {
  /** For the session and its links. */
  readonly output: AgentOutput;
  /** The same calls, whose results come through `output`. */
  around(calls: Calls): Calls;
  /** The response to a call that went over the link under another id. */
  answer(message: RpcResult | RpcFailure, sentAs: RequestId): void;
  /** The response to a call, sent as it is. */
  sendUnfitted(message: RpcResult): void;
  /** The results that it keeps. */
  kept(): Promise<KeptResults>;
  close(): Promise<void>;
}

export interface FittingPlace {
  /** The setting `resultBudgetChars`. */
  readonly budget: () => number | undefined;
  /** Its cache directory is used for kept results; undefined: they stay in memory. */
  readonly computer: () => Computer | undefined;
  readonly log: Log;
}

/** Results of calls that need nothing of this are sent as they are, without a look at them. */
export function fitResults(output: AgentOutput, { budget, computer, log }: FittingPlace): Fitting {
  const calls = new InFlight<FittedCall>();
  let answers: Promise<FittedAnswers> | undefined;
  /** Where the calls run. */
  let below: Calls | undefined;

  function load(): Promise<FittedAnswers> {
    answers ??= loadPart(() => import('./fitted-answer.js')).then((part) => part.createFittedAnswers(computer(), log));
    // The next result tries again.
    answers.catch(() => (answers = undefined));
    return answers;
  }

  async function sendFitted(message: RpcResult, call: FittedCall, sentAs: RequestId): Promise<void> {
    let fitted: FittedAnswer = message;
    try {
      fitted = await (await load()).answerOf(call, message.result);
    } catch (error) {
      log.error(`agent: a result could not be fitted: ${messageOf(error)}`);
      // The result of a call is sent as it came: the tool took effect. Without one there is nothing to send.
      if (isRecord(call.wanted) && 'of' in call.wanted) return void send(failureFrom(message.id, error), call);
    }
    const { result, chars } = fitted;
    if (send({ ...message, result }, call) && chars !== undefined) below?.shown?.(sentAs, chars);
  }

  /** False if the call was cancelled; the agent may have used the id again. */
  function send(message: RpcMessage & { readonly id: RequestId }, call: FittedCall): boolean {
    if (calls.get(message.id) !== call) return false;
    calls.delete(message.id);
    output.send(message);
    return true;
  }

  function respond(message: RpcResult | RpcFailure, sentAs: RequestId): void {
    const call = calls.get(message.id);
    if (call === undefined) output.send(message);
    else if ('result' in message && !isPlainlyShown(call, message.result)) void sendFitted(message, call, sentAs);
    else send(message, call);
  }

  return {
    output: withSend(output, (message, inReplyTo) => {
      if ('method' in message) output.send(message, inReplyTo);
      else respond(message, message.id);
    }),
    around(inner) {
      below = inner;
      return {
        start(request, caller, line) {
          const call = fittedCall(request, caller, budget());
          if (call !== undefined) calls.set(request.id, call);
          inner.start(request, caller, line);
        },
        cancel(requestId) {
          calls.delete(requestId);
          inner.cancel(requestId);
        },
        answered: (message) => inner.answered(message),
        rootsChanged: () => inner.rootsChanged(),
      };
    },
    answer: respond,
    sendUnfitted(message) {
      calls.delete(message.id);
      output.send(message);
    },
    kept: async () => (await load()).kept,
    async close() {
      await (await answers?.catch(() => undefined))?.close();
    },
  };
}
