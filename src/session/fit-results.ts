import { messageOf } from '../contract/errors.js';
import { InFlight } from '../jsonrpc/in-flight.js';
import { isRecord } from '../jsonrpc/json.js';
import { failureFrom, type RequestId, type RpcMessage, type RpcResult } from '../jsonrpc/messages.js';
import type { Computer } from '../platform/computer.js';
import { loadPart } from '../platform/load-part.js';
import type { Log } from '../platform/log.js';
import type { KeptResults } from '../results/kept/kept-results.js';
import type { Calls } from './conversation.js';
import type { FittedAnswers } from './fitted-answer.js';
import { type FittedCall, fittedCall, isPlainlyShown } from './fitted-call.js';
import { type AgentOutput, withSend } from './transport.js';

/** Makes results of calls fit the client, and keeps what did not fit. It stands between a session and its transport. */
export interface Fitting {
  /** For the session and its links. */
  readonly output: AgentOutput;
  /** The same calls, whose results come through `output`. */
  around(calls: Calls): Calls;
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
  const fitted = new InFlight<FittedCall>();
  let answers: Promise<FittedAnswers> | undefined;

  function load(): Promise<FittedAnswers> {
    answers ??= loadPart(() => import('./fitted-answer.js')).then((part) => part.createFittedAnswers(computer(), log));
    // The next result tries again.
    answers.catch(() => (answers = undefined));
    return answers;
  }

  async function sendFitted(message: RpcResult, call: FittedCall): Promise<void> {
    let { result } = message;
    try {
      result = await (await load()).answerOf(call, result);
    } catch (error) {
      log.error(`agent: a result could not be fitted: ${messageOf(error)}`);
      // The result of a call is sent as it came: the tool took effect. Without one there is nothing to send.
      if (isRecord(call.wanted) && 'of' in call.wanted) return send(failureFrom(message.id, error), call);
    }
    send({ ...message, result }, call);
  }

  function send(message: RpcMessage & { readonly id: RequestId }, call: FittedCall): void {
    // The call was cancelled, and the agent may have used the id again.
    if (fitted.get(message.id) !== call) return;
    fitted.delete(message.id);
    output.send(message);
  }

  return {
    output: withSend(output, (message, inReplyTo) => {
      const call = 'method' in message ? undefined : fitted.get(message.id);
      if (call === undefined || 'method' in message) output.send(message, inReplyTo);
      else if ('result' in message && !isPlainlyShown(call, message.result)) void sendFitted(message, call);
      else send(message, call);
    }),
    around: (calls) => ({
      start(request, caller, line) {
        const call = fittedCall(request, caller, budget());
        if (call !== undefined) fitted.set(request.id, call);
        calls.start(request, caller, line);
      },
      cancel(requestId) {
        fitted.delete(requestId);
        calls.cancel(requestId);
      },
      answered: (message) => calls.answered(message),
      rootsChanged: () => calls.rootsChanged(),
    }),
    sendUnfitted(message) {
      fitted.delete(message.id);
      output.send(message);
    },
    kept: async () => (await load()).kept,
    async close() {
      await (await answers?.catch(() => undefined))?.close();
    },
  };
}
