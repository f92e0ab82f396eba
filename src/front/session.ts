import { messageOf } from '../contract/errors.js';
import { isRecord } from '../jsonrpc/json.js';
import { failureFrom, isRequest, type RpcMessage, type RpcRequest, rpcCode } from '../jsonrpc/messages.js';
import { isRequestProblem, RequestProblem } from '../jsonrpc/request-problem.js';
import { metaKeys } from '../jsonrpc/revisions.js';
import type { Log } from '../platform/log.js';
import type { Overview } from '../workbench/toolbox.js';
import { invalidParams, isModernRequest, legacyCaller, modernCaller, unknownClient } from './caller.js';
import { createStaticAnswers } from './introduction/static-answers.js';
import type { Calls } from './lazy-calls.js';

type Params = Readonly<Record<string, unknown>>;

/** One agent's connection, in whichever revision it speaks: every message of the agent's comes in here. */
export interface Session {
  take(message: RpcMessage): void;
  /** The agent has gone. What runs for it is cancelled. */
  close(): void;
}

/** `calls` serves what needs the workbench; everything else is answered here, from the configuration alone. */
export function openSession(overview: Overview, send: (message: RpcMessage) => void, calls: Calls, log: Log): Session {
  const answers = createStaticAnswers(overview);
  // There is one per connection, and it may repeat its handshake.
  let legacyClient = unknownClient;

  function answer(message: RpcRequest): void {
    const { id, method, params = {} } = message;
    const isModern = isModernRequest(params);
    const caller = isModern ? modernCaller(params) : legacyClient;
    if (method === 'tools/call' || method === 'resources/read') {
      calls.take(message, caller);
    } else if (method === 'initialize' && !isModern) {
      legacyClient = legacyCaller(params);
      send({ jsonrpc: '2.0', id, result: answers.initialized(legacyClient.revision) });
    } else if (method === 'subscriptions/listen' && isModern) {
      send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: listening(id, params) });
    } else {
      send({ jsonrpc: '2.0', id, result: found(answers.of(method, caller.revision)) });
    }
  }

  function request(message: RpcRequest): void {
    try {
      answer(message);
    } catch (error) {
      send(failureFrom(message.id, refusal(error, log)));
    }
  }

  return {
    take(message) {
      if (isRequest(message)) request(message);
      else if (!('method' in message)) calls.answered(message);
      else if (message.method === 'notifications/cancelled') calls.cancel(message.params?.['requestId']);
      // All other notifications need no action.
    },
    close: () => calls.close(),
  };
}

function found(result: Params | undefined): Params {
  if (result === undefined) throw new RequestProblem(rpcCode.methodNotFound, 'Method not found');
  return result;
}

/** Problems of the request are the client's to read; anything else is a fault of ours, and its details go to the log. */
function refusal(error: unknown, log: Log): Error {
  if (!isRequestProblem(error)) {
    log.error(`Internal error: ${messageOf(error)}`);
    return new Error('Internal error in the workbench');
  }
  if (error.code !== rpcCode.methodNotFound) log.warn(`agent: refused: ${error.message}`);
  return error;
}

const filterKeys = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'];

/** The acknowledgement of a subscription. It stays open until the client cancels it; nothing that we list changes. */
function listening(id: RpcRequest['id'], { notifications }: Params): Params {
  if (!isRecord(notifications)) throw invalidParams('notifications: Expected object');
  for (const key of filterKeys) {
    const wanted = notifications[key];
    if (wanted !== undefined && typeof wanted !== 'boolean') {
      throw invalidParams(`notifications.${key}: Expected boolean`);
    }
  }
  return { notifications: {}, _meta: { [metaKeys.subscriptionId]: id } };
}
