import { Cancellation } from '../jsonrpc/cancellation.js';
import { InFlight } from '../jsonrpc/in-flight.js';
import { isRecord } from '../jsonrpc/json.js';
import {
  failureFrom,
  isRequestId,
  type RequestId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from '../jsonrpc/messages.js';
import { metaKeys, modernRevision } from '../jsonrpc/revisions.js';
import { project } from '../results/project.js';
import type { ToolResult } from '../results/tool-result.js';
import type { Agent, Progress } from '../workbench/ports/downstream.js';
import { metaToPass } from './agent-meta.js';
import { type Acquaintance, completed, type Opener, offeredCapabilities } from './introduction/static-answers.js';
import type { Handlers } from './meta-tools/handlers.js';
import { cannotBeAsked, createAsking } from './questions/asking.js';

type Params = Readonly<Record<string, unknown>>;

/** Serves the usual messages of both eras without the SDK, and as the SDK would. */
export interface PlainPath {
  /** Whether it takes the message. If anything about it is unusual, it does not, and nothing has happened. */
  take(message: RpcMessage): boolean;
  /** The agent has gone: nothing that runs for it is wanted any more. */
  close(): void;
}

interface Caller {
  readonly agent: Agent;
  readonly revision: string;
}

export function createPlainPath(opener: Opener, handlers: Handlers, send: (message: RpcMessage) => void): PlainPath {
  const running = new InFlight<Cancellation>();
  const asking = createAsking(send);
  // The same for all of its calls.
  let legacyCaller: Caller | undefined;
  let knownAs: Acquaintance | undefined;

  /** On whose behalf a request is; undefined if anything about that is unusual. */
  function callerOf(meta: unknown): Caller | undefined {
    if (isRecord(meta) && metaKeys.protocolVersion in meta) {
      const capabilities = offeredCapabilities(meta);
      return capabilities && { agent: { capabilities, ask: cannotBeAsked }, revision: modernRevision };
    }
    if (knownAs !== opener.acquaintance) {
      knownAs = opener.acquaintance;
      const { capabilities, revision } = knownAs ?? {};
      legacyCaller = capabilities && revision ? { agent: { capabilities, ask: asking.ask }, revision } : undefined;
    }
    return legacyCaller;
  }

  function takeCall({ id, params = {} }: RpcRequest): boolean {
    const meta = params['_meta'];
    const caller = callerOf(meta);
    if (caller === undefined || !isUsualCall(params, meta)) return false;
    const { agent, revision } = caller;
    const cancellation = new Cancellation();
    running.set(id, cancellation);
    const request = {
      agent,
      signal: cancellation,
      onProgress: progressNotifier(meta),
      meta: metaToPass(meta),
      comesBack: revision >= modernRevision,
      requestState: undefined,
      inputResponses: undefined,
    };
    void answer(id, handlers.callTool(params, request), cancellation, revision);
    return true;
  }

  async function answer(
    id: RequestId,
    call: Promise<ToolResult>,
    cancellation: Cancellation,
    revision: string,
  ): Promise<void> {
    let reply: RpcMessage;
    try {
      const result = project(await call, revision);
      reply = { jsonrpc: '2.0', id, result: revision >= modernRevision ? complete(result) : result };
    } catch (error) {
      reply = failureFrom(id, error);
    }
    // After a cancellation the id may be in use again.
    if (running.get(id) === cancellation) running.delete(id);
    // Whoever cancelled a call wants no answer to it.
    if (!cancellation.aborted) send(reply);
  }

  /** Progress goes to the agent under the agent's own token, and only if it asked. */
  function progressNotifier(meta: unknown): (progress: Progress) => void {
    const progressToken = isRecord(meta) ? meta['progressToken'] : undefined;
    if (progressToken === undefined) return nobodyAsked;
    return (progress) =>
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { ...progress, progressToken } });
  }

  function takeCancellation({ params }: RpcNotification): boolean {
    const id = params?.['requestId'];
    const call = running.get(id);
    call?.cancel();
    return call !== undefined;
  }

  return {
    take(message) {
      if (!('method' in message)) return asking.answered(message);
      if (message.method === 'tools/call' && 'id' in message) return takeCall(message);
      if (message.method === 'notifications/cancelled') return takeCancellation(message);
      return opener.take(message);
    },
    close() {
      for (const call of running.values()) call.cancel();
    },
  };
}

const nobodyAsked = () => {};

const usualKeys = new Set(['name', 'arguments', '_meta']);

function isUsualCall(params: Params, meta: unknown): boolean {
  if (!Object.keys(params).every((key) => usualKeys.has(key))) return false;
  if (meta === undefined) return true;
  return isRecord(meta) && (meta['progressToken'] === undefined || isRequestId(meta['progressToken']));
}

/** A question to the agent is no complete result, but is signed like one. */
function complete(result: ToolResult): ToolResult {
  return result.isInputRequired
    ? result.with({ _meta: completed({ _meta: result.meta })['_meta'] })
    : result.with(completed({ _meta: result.meta }));
}
