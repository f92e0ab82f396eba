import { randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { isRecord } from '../json.js';
import type { Agent, Progress } from '../workbench/downstream.js';
import type { AgentRequest } from './use-tool.js';

const answerWithinMs = 10 * 60_000;
const protocolKeys = 'io.modelcontextprotocol/';

/** What the SDK knows of a request, in our words. */
export function agentRequest(server: Server, context: ServerContext): AgentRequest {
  const { mcpReq } = context;
  const { envelope, requestState, inputResponses, signal } = mcpReq;
  const keys: unknown = envelope;
  const comesBack = isRecord(keys);
  const capabilities = comesBack ? keys[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  const state = requestState();
  return {
    agent: {
      capabilities: isRecord(capabilities) ? capabilities : {},
      ask: comesBack ? cannotBeAsked : asker((...question) => mcpReq.send(...question)),
    },
    signal,
    onProgress: progressNotifier(context),
    meta: metaToPass(mcpReq._meta),
    comesBack,
    requestState: typeof state === 'string' ? state : undefined,
    inputResponses,
  };
}

/** Everything but what belongs to this connection: trace context and vendors' keys go down to the server. */
function metaToPass(meta: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(meta)) return {};
  return Object.fromEntries(
    Object.entries(meta).filter(([key]) => key !== 'progressToken' && !key.startsWith(protocolKeys)),
  );
}

type Send = (
  question: { method: string; params: Record<string, unknown> },
  schema: typeof anyObject,
  options: { signal: AbortSignal; timeout: number },
) => Promise<Readonly<Record<string, unknown>>>;

/** Before 2026-07-28: a request to the agent in the middle of its own. Its answer passes as it is. */
export function asker(send: Send): Agent['ask'] {
  return async ({ method, params = {} }, signal) => {
    // The revisions before 2026-07-28 want an id for a question that is answered on a web page.
    const needsId = params['mode'] === 'url' && params['elicitationId'] === undefined;
    const question = { method, params: { ...params, ...(needsId && { elicitationId: randomUUID() }) } };
    return send(question, anyObject, { signal, timeout: answerWithinMs });
  };
}

export async function cannotBeAsked(): Promise<never> {
  throw new Error('The client in front of the workbench can be asked only while it calls a tool');
}

const anyObject: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-workbench',
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'the answer is not an object' }] }),
  },
};

/** Progress goes to the agent under the agent's own token, and only if it asked. */
function progressNotifier({ mcpReq }: ServerContext): (progress: Progress) => void {
  const token = isRecord(mcpReq._meta) ? mcpReq._meta['progressToken'] : undefined;
  if (typeof token !== 'string' && typeof token !== 'number') return () => {};
  return (progress) => {
    // A notification that cannot be delivered is no loss: the agent is gone, and its call is being cancelled.
    mcpReq.notify({ method: 'notifications/progress', params: { ...progress, progressToken: token } }).catch(() => {});
  };
}
