import type { Configuration } from '../../../config/read/configuration.js';
import { InFlight } from '../../../jsonrpc/in-flight.js';
import { isRecord } from '../../../jsonrpc/json.js';
import {
  isRequestId,
  type RequestId,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
} from '../../../jsonrpc/messages.js';
import { metaKeys } from '../../../jsonrpc/revisions.js';
import { longestMessageToAgent } from '../../../limits.js';
import type { Caller } from '../../../session/caller.js';
import { createConversation } from '../../../session/conversation.js';
import type { RefusedRequest } from '../../../session/transport.js';
import type { Exchange } from '../exchange/exchange.js';
import { longestClientName, maxModernSessions } from '../exchange/limits.js';
import { type Refusal, tooManySessions } from '../exchange/refusal.js';
import { type ClientSession, openClientSession } from '../sessions/client-session.js';
import { answersOverHttp } from '../sessions/introduction.js';
import type { User } from '../sessions/service.js';

/**
 * The modern clients of one user. Their requests stand alone: what needs no server is answered by one conversation for all of them,
 * and calls go to the session of the client with that name, which the first of them opens.
 */
export interface ModernClients {
  /** Why it is not served, if it is not. */
  receive(request: RpcRequest, caller: Caller, exchange: Exchange): Refusal | undefined;
  /** A request that is over a limit. */
  refuse(request: RefusedRequest, exchange: Exchange): void;
  introduce(configuration: Configuration): void;
}

/** A request under an id of ours: clients count theirs by themselves. */
interface Sent {
  readonly exchange: Exchange;
  readonly progressToken: unknown;
  /** Undefined: the conversation of all clients serves it. */
  readonly session: ClientSession | undefined;
}

export function createModernClients(user: User): ModernClients {
  const sent = new InFlight<Sent>();
  const sessions = new Map<string, ClientSession>();
  let lastId = 0;
  const opening = createConversation(answersOverHttp(user.configuration().overview), sendTo(), noCalls, user.log);

  /** Messages to clients. `of`: the session that they come from. */
  function sendTo(of?: () => ClientSession) {
    return (message: RpcMessage, inReplyTo?: RequestId): void => {
      const maxBytes = of?.().output.maxBytes ?? longestMessageToAgent;
      if (!('method' in message)) {
        const found = sent.get(message.id);
        end(message.id);
        found?.exchange.answer(message, maxBytes);
        return;
      }
      const found = sent.get(inReplyTo);
      if (found !== undefined && !('id' in message)) found.exchange.event(asOf(found, message), maxBytes);
    };
  }

  function end(id: RequestId): void {
    const found = sent.get(id);
    if (found === undefined) return;
    sent.delete(id);
    if (found.session === undefined) return;
    found.session.busy--;
    found.session.usedAt = performance.now();
  }

  function sessionOf(name: string): ClientSession | undefined {
    const known = sessions.get(name);
    if (known !== undefined) return known;
    const { service } = user;
    const [oldest] = [...sessions.values()].filter(({ busy }) => busy === 0).toSorted((a, b) => a.usedAt - b.usedAt);
    if (sessions.size >= maxModernSessions) {
      if (oldest === undefined) return undefined;
      void service.sessions.end(oldest);
    }
    if (!service.sessions.makeRoom(user.principal.key)) return undefined;
    const session: ClientSession = openClientSession(user, {
      client: name,
      send: sendTo(() => session),
      closed: () => void sessions.delete(name),
    });
    sessions.set(name, session);
    service.sessions.add(session);
    return session;
  }

  function begin(exchange: Exchange, progressToken: unknown, session: ClientSession | undefined): number {
    const id = ++lastId;
    sent.set(id, { exchange, progressToken, session });
    if (session !== undefined) {
      session.busy++;
      session.usedAt = performance.now();
    }
    exchange.onGone = () => {
      end(id);
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } } as const;
      (session?.session ?? opening).receive(cancelled);
    };
    return id;
  }

  return {
    receive(request, caller, exchange) {
      const { method, params = {} } = request;
      const { client } = caller;
      const isCall = method === 'tools/call' || method === 'resources/read';
      const session = isCall ? sessionOf(client?.name.slice(0, longestClientName) ?? '') : undefined;
      if (isCall && session === undefined) return tooManySessions;
      const meta = params['_meta'];
      const token = isRecord(meta) ? meta['progressToken'] : undefined;
      exchange.pending = { request, caller };
      const id = begin(exchange, token, session);
      // One that is no token is refused as such.
      const inner = isRequestId(token)
        ? { ...params, _meta: { ...(isRecord(meta) && meta), progressToken: id } }
        : params;
      (session?.session ?? opening).receive({ jsonrpc: '2.0', id, method, params: inner });
      return undefined;
    },
    refuse: (refused, exchange) => opening.refuse({ ...refused, id: begin(exchange, undefined, undefined) }),
    introduce: ({ overview }) => opening.introduce(answersOverHttp(overview)),
  };
}

/** Under the client's own progress token, and the id of its own subscription. */
function asOf({ exchange, progressToken }: Sent, message: RpcNotification): RpcMessage {
  const { params = {} } = message;
  if (message.method === 'notifications/progress') return { ...message, params: { ...params, progressToken } };
  const meta = params['_meta'];
  if (!isRecord(meta) || !(metaKeys.subscriptionId in meta)) return message;
  return { ...message, params: { ...params, _meta: { ...meta, [metaKeys.subscriptionId]: exchange.id } } };
}

/** Calls are received by sessions. */
const noCalls = { start() {}, cancel() {}, answered() {}, rootsChanged() {} };
