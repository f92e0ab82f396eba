import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createIdScanner } from '../../jsonrpc/id-scanner.js';
import { isRecord } from '../../jsonrpc/json.js';
import {
  isRequest,
  isRequestId,
  messageIn,
  type RpcMessage,
  type RpcRequest,
  rpcCode,
} from '../../jsonrpc/messages.js';
import { legacyRevisions } from '../../jsonrpc/revisions.js';
import { isModernRequest } from '../../session/caller.js';
import { excessIn } from '../../session/request-limits.js';
import { Exchange } from './exchange/exchange.js';
import { readBody } from './exchange/read-body.js';
import { draining, plainHeaders, type Refusal, refusal, refuse, unavailable } from './exchange/refusal.js';
import type { Member } from './member.js';
import { modernRequest } from './modern/requests.js';

/** A request to the endpoint whose sender is known. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly member: Member;
  /** Of every answer to it. */
  readonly headers: OutgoingHttpHeaders;
  /** New sessions and calls are refused; what belongs to running ones is not. */
  readonly isDraining: () => boolean;
  /** Something has gone wrong that should not. */
  readonly fail: (error: unknown) => void;
}

/** Why a POST is not read. */
export function postProblem({ headers }: IncomingMessage): Refusal | undefined {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json' || headers['content-encoding'] !== undefined)
    return refusal(415, unavailable, 'The body has to be application/json, without Content-Encoding');
  return accepts(headers.accept, ['application/json', 'text/event-stream'])
    ? undefined
    : refusal(406, unavailable, 'Accept has to list application/json and text/event-stream');
}

export function accepts(accept: string | undefined, wanted: readonly string[]): boolean {
  const types = new Set((accept ?? '').split(',').map((one) => (one.split(';', 1)[0] ?? '').trim().toLowerCase()));
  return types.has('*/*') || wanted.every((type) => types.has(type));
}

export function servePost(call: Call): void {
  const { request, response, member, headers } = call;
  // A client that asks first whether its body is wanted.
  if (request.headers.expect !== undefined) response.writeContinue();
  const { service, quota } = member.user;
  quota.reading++;
  readBody(request, service, (body) => {
    quota.reading--;
    if (body === undefined) return;
    if (!Buffer.isBuffer(body)) return refuse(response, body, headers);
    try {
      receive(call, body);
    } catch (error) {
      call.fail(error);
    }
  });
}

function receive(call: Call, body: Buffer): void {
  if (!isUtf8(body)) return deny(call, refusal(400, rpcCode.parseError, 'Parse error: the body is not UTF-8'));
  const excess = excessIn(body);
  if (excess !== undefined) return receiveExcess(call, body, excess);
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return deny(call, refusal(400, rpcCode.parseError, 'Parse error: the body is not JSON'));
  }
  const message = messageIn(value);
  if (message === undefined) return deny(call, notAMessage(value), idOf(value));
  if (isModern(call, message)) receiveModern(call, message);
  else receiveLegacy(call, message);
}

/** Why no request is taken at present. What belongs to those that run is. */
function refusalOf({ isDraining, member }: Call): Refusal | undefined {
  return isDraining() ? draining : member.user.quota.full;
}

function notAMessage(value: unknown): Refusal {
  const what = Array.isArray(value) ? 'a batch is not served' : 'the body is not one JSON-RPC 2.0 message';
  return refusal(400, rpcCode.invalidRequest, `Invalid request: ${what}`);
}

/** A message over the limits of its parts is not parsed. */
function receiveExcess(call: Call, body: Buffer, problem: string): void {
  const scan = createIdScanner();
  scan.feed(body);
  const [id, method] = [scan.id(), scan.method()];
  if (id === undefined || method === undefined)
    return deny(call, refusal(400, rpcCode.invalidRequest, `Invalid request: it ${problem}`));
  const busy = refusalOf(call);
  if (busy !== undefined) return deny(call, busy, id);
  const sessionId = sessionIdOf(call);
  const isLegacy = sessionId !== undefined;
  const exchange = open(call, { id }, !isLegacy);
  const refused = { id, method, problem };
  if (!isLegacy) return call.member.modern.refuse(refused, exchange);
  const why = call.member.legacy.refuse(sessionId, refused, exchange);
  if (why !== undefined) exchange.refuse(why);
}

/** Every request of 2026-07-28 says so. A revision that nobody knows is taken for a newer one, unless a session is named. */
function isModern(call: Call, message: RpcMessage): boolean {
  if ('method' in message && isModernRequest(message.params ?? {})) return true;
  const revision = call.request.headers['mcp-protocol-version'];
  return revision !== undefined && !legacyRevisions.has(revision) && sessionIdOf(call) === undefined;
}

function receiveModern(call: Call, message: RpcMessage): void {
  if (!('method' in message))
    return deny(call, refusal(400, rpcCode.invalidRequest, 'Invalid request: a response belongs to no request here'));
  if (!isRequest(message)) return acknowledge(call);
  const busy = refusalOf(call);
  if (busy !== undefined) return deny(call, busy, message.id);
  const found = modernRequest(call.request, message);
  if ('refused' in found) return deny(call, found.refused, message.id);
  const exchange = open(call, message, true);
  const why = call.member.modern.receive(message, found.caller, exchange);
  if (why !== undefined) exchange.refuse(why);
}

function receiveLegacy(call: Call, message: RpcMessage): void {
  const { legacy } = call.member;
  const busy = isRequest(message) ? refusalOf(call) : undefined;
  if (busy !== undefined) return deny(call, busy, idOf(message));
  if (isRequest(message) && message.method === 'initialize') return initialize(call, message);
  const sessionId = sessionIdOf(call);
  const problem = legacyProblem(call, sessionId);
  if (problem !== undefined || sessionId === undefined) return deny(call, problem ?? noSession, idOf(message));
  if (!isRequest(message)) {
    const why = legacy.notify(sessionId, message);
    return why === undefined ? acknowledge(call) : deny(call, why);
  }
  const exchange = open(call, message, false);
  const why = legacy.request(sessionId, message, exchange);
  if (why !== undefined) exchange.refuse(why);
}

function initialize(call: Call, request: RpcRequest): void {
  const { member, response, headers } = call;
  const made = member.legacy.initialize(request);
  if ('status' in made) return deny(call, made, request.id);
  const body = JSON.stringify({ jsonrpc: '2.0', id: request.id, result: made.result });
  response.writeHead(200, {
    ...plainHeaders,
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Mcp-Session-Id': made.sessionId,
  });
  response.end(body);
}

const noSession = refusal(400, unavailable, 'Bad request: Mcp-Session-Id is missing');
const unknownRevision = refusal(400, unavailable, 'Bad request: unknown MCP-Protocol-Version');

/** Why a request cannot belong to a legacy session. */
export function legacyProblem({ request }: Pick<Call, 'request'>, sessionId: string | undefined): Refusal | undefined {
  const revision = request.headers['mcp-protocol-version'];
  if (revision !== undefined && !legacyRevisions.has(revision)) return unknownRevision;
  return sessionId === undefined ? noSession : undefined;
}

/** Undefined if there is none. Node.js joins several, and then it is the id of no session. */
export function sessionIdOf({ request }: Pick<Call, 'request'>): string | undefined {
  const id = request.headers['mcp-session-id'];
  return typeof id === 'string' ? id : undefined;
}

function open({ response, member, headers }: Call, request: Pick<RpcRequest, 'id'>, isModernOne: boolean): Exchange {
  const { service, unread, quota } = member.user;
  quota.inFlight++;
  const exchange = new Exchange({
    ...{ response, request, isModern: isModernOne, headers, unread },
    ended(one) {
      quota.inFlight--;
      service.exchanges.delete(one);
      service.ticks.delete(one);
    },
  });
  service.exchanges.add(exchange);
  service.ticks.add(exchange);
  return exchange;
}

function acknowledge({ response, headers }: Call): void {
  response.writeHead(202, { ...plainHeaders, ...headers, 'Content-Length': 0 }).end();
}

function deny({ response, headers }: Call, why: Refusal, id?: unknown): void {
  refuse(response, why, headers, isRequestId(id) ? id : null);
}

function idOf(value: unknown): unknown {
  return isRecord(value) && 'method' in value ? value['id'] : undefined;
}
