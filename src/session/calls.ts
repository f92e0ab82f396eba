import { CancelledByUser, DownstreamFailure } from '../contract/downstream-failure.js';
import { messageOf } from '../contract/errors.js';
import { Cancellation } from '../jsonrpc/cancellation.js';
import { InFlight } from '../jsonrpc/in-flight.js';
import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import {
  failureFrom,
  isRequestId,
  type RequestId,
  type RpcMessage,
  type RpcRequest,
  rpcCode,
} from '../jsonrpc/messages.js';
import { RecentIds } from '../jsonrpc/recent-ids.js';
import { begin } from '../jsonrpc/reply.js';
import { isRequestProblem, RequestProblem } from '../jsonrpc/request-problem.js';
import { belongsToConnection, modernRevision } from '../jsonrpc/revisions.js';
import { backlogWithoutProgressBytes } from '../limits.js';
import { internalError, type Log } from '../platform/log.js';
import type { Agent, Question } from '../workbench/ports/agent.js';
import type { Progress } from '../workbench/ports/downstream.js';
import type { RunningCalls } from '../workbench/ports/running-calls.js';
import type { Workbench } from '../workbench/workbench.js';
import { type Caller, invalidParams } from './caller.js';
import type { Calls } from './conversation.js';
import { createFlow } from './flow.js';
import { createHandlers } from './meta-tools/handlers.js';
import { createOwnRequests, ownQuestion } from './own-requests.js';
import { createProgressReports } from './progress.js';
import type { AgentRequest } from './questions/agent-request.js';
import { cannotBeAsked, createAsking } from './questions/asking.js';
import { createMetaCalls } from './questions/meta-calls.js';
import type { Signing } from './questions/request-state.js';
import { resourceFor, resultFor } from './results-for-agent.js';
import { type CallsInFlight, createRunningCalls, RunningCall } from './running/running-calls.js';
import type { AgentOutput } from './transport.js';

/** The calls of one session, served by a workbench. */
export interface ServedCalls extends Calls {
  /** Requests that are not answered yet. */
  readonly unanswered: number;
  /** One of them has been answered, or needs no answer any more. */
  onanswered?: () => void;
  /** The tool calls among them, and calls that wait for answers of the agent. */
  readonly inFlight: RunningCalls;
  /** The number in the report of a call that has ended just now; undefined or 0 if the request was none. */
  numberOf(requestId: RequestId): number | undefined;
  /** The agent has disconnected. */
  leave(): void;
}

/** What makes calls of a command of ours different from those of an agent. */
export type CommandCalls = Parameters<typeof createOwnRequests>[2];

/** What differs between sessions. */
export interface CallOptions {
  /** It is one of a command of ours, and may ask for more; says how a server was reached last. */
  readonly command?: CommandCalls | undefined;
  /** Of the states that a modern agent returns with its answers. */
  readonly signing?: Signing | undefined;
}

/** `id` is the session's. */
export function createCalls(
  id: string,
  workbench: Workbench,
  output: AgentOutput,
  log: Log,
  { command, signing }: CallOptions = {},
): ServedCalls {
  const running = new InFlight<RunningRequest>();
  const ended = new RecentIds();
  let unanswered = 0;
  const gone = new Cancellation();
  const reports = createProgressReports();
  const flow = createFlow(output);
  const send = (message: RpcMessage, inReplyTo?: RequestId) => {
    output.send(message, inReplyTo);
    flow.check();
  };
  const asking = createAsking(send);
  const inFlight: CallsInFlight = new InFlight();
  const metaCalls = createMetaCalls(workbench, gone, log, inFlight, signing);
  const handlers = createHandlers(workbench, metaCalls, log);
  const own = command && createOwnRequests(workbench, metaCalls.useTool, command);
  const rootsListeners = new Set<() => void>();
  const onRootsChanged = (listener: () => void) => {
    rootsListeners.add(listener);
    return () => void rootsListeners.delete(listener);
  };
  /** Of one request: its questions belong to it. */
  function agentOf(caller: Caller, requestId: RequestId): Agent {
    const { client, capabilities, revision } = caller;
    const ask: Agent['ask'] =
      revision >= modernRevision ? cannotBeAsked : (question, signal) => asking.ask(question, signal, requestId);
    if (own === undefined) return { id, client, capabilities, ask, gone, flow, onRootsChanged };
    const askCommand: Agent['ask'] = (question, signal) => ask(markOwn(question), signal);
    return { id, client, capabilities, ask: askCommand, gone, flow, onRootsChanged, takesAnyOffer: true };
  }

  function requestOf({ id: requestId, params = {} }: RpcRequest, caller: Caller, signal: RunningRequest): AgentRequest {
    const meta = metaOf(params);
    const isModern = caller.revision >= modernRevision;
    const { requestState, inputResponses } = params;
    return {
      agent: agentOf(caller, requestId),
      signal,
      handle: signal,
      onProgress: progressNotifier(meta, requestId, signal),
      meta: forwardedMeta(meta),
      isModern,
      requestState: isModern && typeof requestState === 'string' ? requestState : undefined,
      inputResponses: isModern && isRecord(inputResponses) ? inputResponses : undefined,
    };
  }

  /** Without a promise where nothing is in the way of a call: each layer of them shows in what it costs. */
  function answer(request: RpcRequest, caller: Caller, cancellation: RunningRequest): void {
    const { id: requestId } = request;
    const reply = (message: RpcMessage) => {
      unanswered--;
      // After a cancellation the client may have reused the id.
      if (running.get(requestId) === cancellation) running.delete(requestId);
      reports.end(cancellation);
      cancellation.ended();
      ended.add(requestId, cancellation.reported);
      // A cancelled request gets no response, unless the agent does not know of it.
      try {
        if (!cancellation.aborted || cancellation.reason instanceof CancelledByUser) send(message);
      } catch (error) {
        log.error(`agent: no response was sent: ${messageOf(error)}`);
      }
      calls.onanswered?.();
    };
    void begin(() => resultOf(request, caller, cancellation)).then(
      (result) => reply({ jsonrpc: '2.0', id: requestId, result }),
      (error: unknown) => reply(failureFrom(requestId, isRequestProblem(error) ? error : internalError(log, error))),
    );
  }

  function resultOf(request: RpcRequest, caller: Caller, cancellation: RunningRequest): PromiseLike<unknown> {
    const { method, params = {} } = request;
    const agentRequest = requestOf(request, caller, cancellation);
    return method === 'tools/call'
      ? handlers.callTool(params, agentRequest).then((result) => resultFor(caller, result))
      : otherResult(method, params, caller, agentRequest);
  }

  async function otherResult(
    method: string,
    params: JsonObject,
    caller: Caller,
    request: AgentRequest,
  ): Promise<unknown> {
    if (method === 'resources/read') return resourceFor(caller, await handlers.readResource(params, request));
    if (own === undefined) throw new RequestProblem(rpcCode.methodNotFound, 'Method not found');
    return own.handle(method, params, request);
  }

  /** Progress is sent under the agent's own token, and only if it sent one. */
  function progressNotifier(
    meta: JsonObject | undefined,
    requestId: RequestId,
    signal: RunningRequest,
  ): (progress: Progress) => void {
    const progressToken = meta?.['progressToken'];
    if (progressToken === undefined) {
      return (progress) => {
        signal.progress = progress;
        signal.onProgress?.(progress);
      };
    }
    const report = reports.begin(signal, progressSender(progressToken, requestId));
    return (progress) => {
      signal.progress = progress;
      report(progress);
    };
  }

  function progressSender(progressToken: unknown, requestId: RequestId): (progress: Progress) => void {
    return (progress) => {
      if (output.unread > backlogWithoutProgressBytes) return;
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { ...progress, progressToken } }, requestId);
    };
  }

  const calls: ServedCalls = {
    get unanswered() {
      return unanswered;
    },
    inFlight: createRunningCalls(inFlight, workbench),
    numberOf: (requestId) => ended.numberOf(requestId),
    start(request, caller) {
      const cancellation = new RunningRequest(inFlight, caller.client);
      running.set(request.id, cancellation);
      unanswered++;
      answer(request, caller, cancellation);
    },
    cancel: (requestId) => running.get(requestId)?.cancel(),
    follow(requestId, token) {
      const request = running.get(requestId);
      if (request === undefined) return;
      request.onProgress = progressSender(token, requestId);
      if (request.progress !== undefined) request.onProgress(request.progress);
    },
    answered(message) {
      if (!asking.answered(message)) log.warn('agent: ignored a response: its id matches no pending request');
    },
    rootsChanged() {
      for (const listener of rootsListeners) listener();
    },
    leave() {
      gone.cancel();
      const over = new DownstreamFailure('cancelled', 'the session has ended');
      for (const call of running.values()) call.cancel(over);
    },
  };
  return calls;
}

/** A request without a progress token may be followed later. */
class RunningRequest extends RunningCall {
  onProgress: ((progress: Progress) => void) | undefined = undefined;
}

/** So that a command can tell our questions from those of servers. */
function markOwn(question: Question): Question {
  return question.isOwn ? { ...question, params: { ...question.params, _meta: { [ownQuestion]: true } } } : question;
}

function metaOf({ _meta: meta }: JsonObject): JsonObject | undefined {
  if (meta === undefined) return undefined;
  if (!isRecord(meta)) throw invalidParams('_meta: Expected object');
  const { progressToken } = meta;
  if (progressToken !== undefined && !isRequestId(progressToken)) {
    throw invalidParams('_meta.progressToken: Expected string or number');
  }
  return meta;
}

/** The keys that go to the server, such as trace context and vendors' keys: all but those of this connection. */
function forwardedMeta(meta: JsonObject | undefined): JsonObject | undefined {
  if (meta === undefined) return undefined;
  const passing = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !belongsToConnection(key));
  return passing.length === 0 ? undefined : Object.fromEntries(passing);
}
