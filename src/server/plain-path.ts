import { isRecord } from '../json.js';
import {
  failureFrom,
  isRequestId,
  type RequestId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from '../json-rpc.js';
import { PackedResult } from '../packed-result.js';
import { metaKeys, modernRevision } from '../revisions.js';
import type { CallToolResult } from '../types.js';
import type { Agent, Progress } from '../workbench/downstream.js';
import { metaToPass } from './agent-meta.js';
import { cannotBeAsked, createAsking } from './asking.js';
import type { Handlers } from './handlers.js';
import { agreedRevision, completed, type Opening, offeredCapabilities } from './opening.js';
import { project } from './project.js';

type Params = Readonly<Record<string, unknown>>;

/** Serves the usual messages of both eras without the SDK, and as the SDK would. */
export interface PlainPath {
  /** Whether it takes the message. If anything about it is unusual, it does not, and nothing has happened. */
  take(message: RpcMessage): boolean;
}

interface Caller {
  readonly agent: Agent;
  readonly revision: string;
}

export function createPlainPath(opening: Opening, handlers: Handlers, send: (message: RpcMessage) => void): PlainPath {
  const running = new Map<RequestId, AbortController>();
  const asking = createAsking(send);
  /** The agent of before 2026-07-28 that has introduced itself. */
  let known: Caller | undefined;

  function reply(id: RequestId, result: unknown): true {
    send({ jsonrpc: '2.0', id, result });
    return true;
  }

  function takeRequest(request: RpcRequest): boolean {
    const params = request.params ?? {};
    const meta = params['_meta'];
    return isRecord(meta) && metaKeys.protocolVersion in meta
      ? takeModern(request, params, meta)
      : takeLegacy(request, params);
  }

  function takeModern(request: RpcRequest, params: Params, meta: Params): boolean {
    const capabilities = offeredCapabilities(meta);
    if (capabilities === undefined) return false;
    const answer = opening.modern.get(request.method);
    if (answer !== undefined) return reply(request.id, answer);
    return takeCall(request, params, { agent: { capabilities, ask: cannotBeAsked }, revision: modernRevision });
  }

  function takeLegacy(request: RpcRequest, params: Params): boolean {
    if (known === undefined) return request.method === 'initialize' && introduce(request.id, params);
    const answer = opening.legacy.get(request.method);
    return answer === undefined ? takeCall(request, params, known) : reply(request.id, answer);
  }

  function introduce(id: RequestId, params: Params): boolean {
    const revision = agreedRevision(params);
    if (revision === undefined) return false;
    const capabilities = isRecord(params['capabilities']) ? params['capabilities'] : {};
    known = { agent: { capabilities, ask: asking.ask }, revision };
    return reply(id, opening.hello(revision));
  }

  function takeCall({ id, method }: RpcRequest, params: Params, { agent, revision }: Caller): boolean {
    const meta = params['_meta'];
    if (method !== 'tools/call' || !isUsualCall(params, meta)) return false;
    const abort = new AbortController();
    running.set(id, abort);
    const isModern = revision >= modernRevision;
    const request = {
      agent,
      signal: abort.signal,
      onProgress: progressNotifier(meta),
      meta: metaToPass(meta),
      comesBack: isModern,
      requestState: undefined,
      inputResponses: undefined,
    };
    const end = (answer: () => RpcMessage) => {
      running.delete(id);
      // Whoever cancelled a call wants no answer to it.
      if (!abort.signal.aborted) send(answer());
    };
    handlers.callTool(params, request).then(
      (result) =>
        end(() => {
          const readable = project(result, revision);
          return { jsonrpc: '2.0', id, result: isModern ? complete(readable) : readable };
        }),
      (error: unknown) => end(() => failureFrom(id, error)),
    );
    return true;
  }

  /** Progress goes to the agent under the agent's own token, and only if it asked. */
  function progressNotifier(meta: unknown): (progress: Progress) => void {
    const progressToken = isRecord(meta) ? meta['progressToken'] : undefined;
    if (progressToken === undefined) return () => {};
    return (progress) =>
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { ...progress, progressToken } });
  }

  function takeNotification({ method, params }: RpcNotification): boolean {
    if (method === 'notifications/initialized') return known !== undefined;
    const id = method === 'notifications/cancelled' ? params?.['requestId'] : undefined;
    const call = isRequestId(id) ? running.get(id) : undefined;
    call?.abort();
    return call !== undefined;
  }

  return {
    take(message) {
      if (!('method' in message)) return asking.answered(message);
      return 'id' in message ? takeRequest(message) : takeNotification(message);
    },
  };
}

const usualKeys = new Set(['name', 'arguments', '_meta']);

function isUsualCall(params: Params, meta: unknown): boolean {
  if (!Object.keys(params).every((key) => usualKeys.has(key))) return false;
  if (meta === undefined) return true;
  return isRecord(meta) && (meta['progressToken'] === undefined || isRequestId(meta['progressToken']));
}

/** A question to the agent is no complete result, but is signed like one. */
function complete(result: CallToolResult | PackedResult): unknown {
  return result instanceof PackedResult ? result.plus(completed({})) : completed(result);
}
