import { failureOf } from '../../contract/downstream-failure.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import type { RequestId, RpcFailure, RpcMessage, RpcResult } from '../../jsonrpc/messages.js';
import { RequestProblem } from '../../jsonrpc/request-problem.js';
import { answerTimeoutMs, longestReason } from '../../limits.js';
import { crypto } from '../../platform/crypto.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import { OnlyDuringCalls } from '../../workbench/asking/only-during-calls.js';
import type { Agent, Question } from '../../workbench/ports/agent.js';

// Far from the ids that clients count for their own requests.
const firstId = 1_000_001;

/** Sends questions to a legacy agent, as requests during its own request. */
export interface Asking {
  /** `inReplyTo`: the request that the question belongs to. */
  ask(...asked: [...Parameters<Agent['ask']>, inReplyTo?: RequestId]): ReturnType<Agent['ask']>;
  /** Whether the message is the response to a pending question. */
  answered(message: RpcResult | RpcFailure): boolean;
}

interface Open {
  resolve(answer: JsonObject): void;
  reject(error: Error): void;
}

export function createAsking(send: (message: RpcMessage, inReplyTo?: RequestId) => void): Asking {
  const open = new Map<RequestId, Open>();
  let nextId = firstId;
  return {
    ask: (question, signal, inReplyTo) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(failureOf(signal));
        const id = nextId++;
        const end = () => {
          open.delete(id);
          clearTimeout(timer);
          signal.removeEventListener('abort', withdraw);
        };
        const abandon = (error: Error) => {
          end();
          reject(error);
          const params = { requestId: id, reason: shorten(printableLine(error.message), longestReason) };
          send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, inReplyTo);
        };
        const withdraw = () => abandon(failureOf(signal));
        const timer = setTimeout(() => abandon(new Error(`no answer within ${answerTimeoutMs} ms`)), answerTimeoutMs);
        signal.addEventListener('abort', withdraw, { once: true });
        open.set(id, {
          resolve(answer) {
            end();
            resolve(answer);
          },
          reject(error) {
            end();
            reject(error);
          },
        });
        try {
          send({ jsonrpc: '2.0', id, ...withElicitationId(question) }, inReplyTo);
        } catch (error) {
          end();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      }),

    answered(message) {
      const waiting = open.get(message.id);
      if (waiting === undefined) return false;
      if ('error' in message) {
        const { code, message: text, data } = message.error;
        waiting.reject(new RequestProblem(code, text, data));
      } else if (isRecord(message.result)) waiting.resolve(message.result);
      else waiting.reject(new Error('the answer is not an object'));
      return true;
    },
  };
}

/** Legacy revisions require an id for elicitation in URL mode. */
export function withElicitationId({ method, params = {} }: Question): {
  method: string;
  params: Record<string, unknown>;
} {
  const needsId = params['mode'] === 'url' && params['elicitationId'] === undefined;
  return { method, params: { ...params, ...(needsId && { elicitationId: crypto().randomUUID() }) } };
}

export async function cannotBeAsked(): Promise<never> {
  throw new OnlyDuringCalls('The client can only be asked during a tool call');
}
