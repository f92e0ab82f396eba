import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import {
  failureFrom,
  isRequest,
  isRequestId,
  type RequestId,
  type RpcMessage,
  type RpcRequest,
  rpcCode,
} from '../jsonrpc/messages.js';
import { isRequestProblem, RequestProblem } from '../jsonrpc/request-problem.js';
import { latestLegacyRevision, metaKeys, modernRevision } from '../jsonrpc/revisions.js';
import { loadPart } from '../platform/load-part.js';
import { internalError, type Log } from '../platform/log.js';
import { type Caller, invalidParams, isModernRequest, legacyCaller, modernCaller, unknownClient } from './caller.js';
import type { StaticAnswers } from './introduction/static-answers.js';
import type { SessionLink } from './link.js';
import type { RefusedRequest } from './transport.js';

/** The protocol with one agent, in any revision. It receives every message from the agent. */
export interface Conversation {
  /** Who sent the last request. */
  readonly caller: Caller;
  /** `line`: the message as the agent wrote it. */
  receive(message: RpcMessage, line?: Buffer): void;
  /** Answers a request that was not parsed with an error. */
  refuse(request: RefusedRequest): void;
  /** Responds with these from now on. If our tools have changed, the client is notified. */
  introduce(answers: StaticAnswers): void;
}

/** What serves `tools/call` and `resources/read`. */
export type Calls = Pick<SessionLink, 'start' | 'cancel' | 'follow' | 'shown' | 'answered' | 'rootsChanged'>;

/** All other requests have `answers`. */
export function createConversation(
  given: StaticAnswers,
  send: (message: RpcMessage, inReplyTo?: RequestId) => void,
  calls: Calls,
  log: Log,
): Conversation {
  // One per connection; it may repeat its handshake.
  let legacyClient = unknownClient;
  let lastCaller = unknownClient;
  /** A legacy client must not be notified before its handshake is over. */
  let isListening = false;
  // Open subscriptions of a modern client to changes of our tools.
  const subscriptions = new Set<RequestId>();
  let answers = given;

  function answer(message: RpcRequest, line: Buffer | undefined): void {
    const { id, method, params = {} } = message;
    const isModern = isModernRequest(params);
    const caller = isModern ? modernCaller(params) : legacyClient;
    lastCaller = caller;
    if (method === 'tools/call' || method === 'resources/read') {
      calls.start(message, caller, line);
    } else if (method === 'initialize' && !isModern) {
      lastCaller = legacyClient = legacyCaller(params);
      send({ jsonrpc: '2.0', id, result: answers.initialized(legacyClient.revision) });
    } else if (method === 'subscriptions/listen' && isModern) {
      const acknowledged = acknowledgement(id, params);
      if ('toolsListChanged' in acknowledged.notifications) subscriptions.add(id);
      send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: acknowledged }, id);
    } else {
      // Some clients do not say that they are initialized.
      if (method === 'tools/list') isListening ||= legacyClient !== unknownClient;
      send({ jsonrpc: '2.0', id, result: found(answers.of(method, caller.revision)) });
    }
  }

  function request(message: RpcRequest, line: Buffer | undefined): void {
    try {
      answer(message, line);
    } catch (error) {
      send(failureFrom(message.id, refusal(error, log)));
    }
  }

  async function refuse(refused: RefusedRequest): Promise<void> {
    // A client without a handshake is modern.
    const caller = legacyClient === unknownClient ? { ...unknownClient, revision: modernRevision } : legacyClient;
    try {
      const { answerRefused } = await loadPart(() => import('./refused-request.js'));
      send(await answerRefused(refused, caller, log));
    } catch (error) {
      send(failureFrom(refused.id, refusal(error, log)));
    }
  }

  function cancel(requestId: unknown): void {
    if (isRequestId(requestId)) subscriptions.delete(requestId);
    calls.cancel(requestId);
  }

  function notify(subscription?: RequestId): void {
    const params = subscription === undefined ? undefined : { _meta: { [metaKeys.subscriptionId]: subscription } };
    send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', ...(params && { params }) }, subscription);
  }

  return {
    get caller() {
      return lastCaller;
    },
    receive(message, line) {
      if (isRequest(message)) request(message, line);
      else if (!('method' in message)) calls.answered(message);
      else if (message.method === 'notifications/cancelled') cancel(message.params?.['requestId']);
      else if (message.method === 'notifications/initialized') isListening = legacyClient !== unknownClient;
      else if (message.method === 'notifications/roots/list_changed') calls.rootsChanged();
      // All other notifications need no action.
    },
    refuse: (refused) => void refuse(refused),
    introduce(next) {
      const isSame = toolsIn(next) === toolsIn(answers);
      answers = next;
      if (isSame) return;
      if (isListening) notify();
      for (const id of subscriptions) notify(id);
    },
  };
}

function toolsIn(answers: StaticAnswers): string {
  return JSON.stringify(answers.of('tools/list', latestLegacyRevision));
}

function found(result: JsonObject | undefined): JsonObject {
  if (result === undefined) throw new RequestProblem(rpcCode.methodNotFound, 'Method not found');
  return result;
}

/** A problem with the request is reported to the client; anything else is an internal error, whose details go to the log. */
function refusal(error: unknown, log: Log): Error {
  if (!isRequestProblem(error)) return internalError(log, error);
  if (error.code !== rpcCode.methodNotFound) log.warn(`agent: refused: ${error.message}`);
  return error;
}

const filterKeys = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'];

/** Acknowledges a subscription. It stays open until the client cancels it; of our lists only that of tools changes. */
function acknowledgement(id: RpcRequest['id'], { notifications }: JsonObject) {
  if (!isRecord(notifications)) throw invalidParams('notifications: Expected object');
  for (const key of filterKeys) {
    const wanted = notifications[key];
    if (wanted !== undefined && typeof wanted !== 'boolean') {
      throw invalidParams(`notifications.${key}: Expected boolean`);
    }
  }
  const { toolsListChanged } = notifications;
  return {
    notifications: toolsListChanged === true ? { toolsListChanged } : {},
    _meta: { [metaKeys.subscriptionId]: id },
  };
}
