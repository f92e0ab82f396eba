import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type RpcMessage, type RpcRequest, rpcCode } from '../../../jsonrpc/messages.js';
import { isRequestProblem } from '../../../jsonrpc/request-problem.js';
import { legacyCaller } from '../../../session/caller.js';
import type { RefusedRequest } from '../../../session/transport.js';
import type { Exchange } from '../exchange/exchange.js';
import { type Refusal, refusal, tooManySessions, unavailable } from '../exchange/refusal.js';
import type { User } from '../sessions/service.js';
import { type LegacySession, openLegacySession } from './session.js';

/** The legacy clients of one user. A session is opened from its id, whenever a request comes with it. */
export interface LegacyClients {
  /** Answers `initialize`; nothing is kept of it but in the id that the client gets. */
  initialize(request: RpcRequest): { readonly result: object; readonly sessionId: string } | Refusal;
  /** A request of a session. */
  request(sessionId: string, request: RpcRequest, exchange: Exchange): Refusal | undefined;
  refuse(sessionId: string, request: RefusedRequest, exchange: Exchange): Refusal | undefined;
  /** A notification or a response. */
  notify(sessionId: string, message: RpcMessage): Refusal | undefined;
  /** Opens the stream for what belongs to no request. */
  stream(sessionId: string, response: ServerResponse, headers: OutgoingHttpHeaders): Refusal | undefined;
  end(sessionId: string): Refusal | undefined;
}

const unknownSession = refusal(404, -32_001, 'Session not found');
const inFlight = refusal(400, rpcCode.invalidRequest, 'Invalid request: its id is already in flight');
const secondStream = refusal(409, unavailable, 'The session has a stream already');

export function createLegacyClients(user: User): LegacyClients {
  const { service, principal } = user;
  const open = new Map<string, LegacySession>();
  const stated = (id: string) => service.sessionIds.verify(id, principal.key);

  /** Undefined if it is not open, or its id is too old. */
  function openSession(id: string): LegacySession | undefined {
    const session = open.get(id);
    if (session === undefined || session.validUntil >= Date.now()) return session;
    void service.sessions.end(session.client);
    return undefined;
  }

  function sessionOf(id: string): LegacySession | Refusal {
    const known = openSession(id);
    if (known !== undefined) return known;
    const found = stated(id);
    if (found === undefined) return unknownSession;
    if (!service.sessions.makeRoom(principal.key)) return tooManySessions;
    const session = openLegacySession(user, found, () => void open.delete(id));
    open.set(id, session);
    service.sessions.add(session.client);
    return session;
  }

  return {
    initialize({ params = {} }) {
      try {
        const caller = legacyCaller(params);
        const { overview } = user.configuration();
        const result = service.answersOf(overview).initialized(caller.revision);
        return { result, sessionId: service.sessionIds.sign(caller, principal.key) };
      } catch (error) {
        if (!isRequestProblem(error)) throw error;
        const { code, message, data } = error;
        return { status: 200, error: { code, message, data } };
      }
    },
    request(id, message, exchange) {
      const session = sessionOf(id);
      if ('status' in session) return session;
      return session.start(message, exchange) ? undefined : inFlight;
    },
    refuse(id, refused, exchange) {
      const session = sessionOf(id);
      if ('status' in session) return session;
      return session.refuse(refused, exchange) ? undefined : inFlight;
    },
    notify(id, message) {
      const session = openSession(id);
      // Without a session in memory there is nothing that it could be about.
      if (session === undefined) return stated(id) === undefined ? unknownSession : undefined;
      session.notify(message);
      return undefined;
    },
    stream(id, response, headers) {
      const session = sessionOf(id);
      if ('status' in session) return session;
      return session.openStream(response, headers) ? undefined : secondStream;
    },
    end(id) {
      if (stated(id) === undefined) return unknownSession;
      service.sessionIds.end(id);
      const session = open.get(id);
      // Nobody waits until its servers have ended.
      if (session !== undefined) void service.sessions.end(session.client);
      return undefined;
    },
  };
}
