import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestId } from '../../../jsonrpc/messages.js';
import { droppedBodyBytes, lingerMs, retryAfterSeconds } from './limits.js';

/** Why a request is not served. It names no user, session or server. */
export interface Refusal {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  /** With it the answer is a JSON-RPC error; without it there is no body. */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** Nothing more is read from the connection. */
  readonly closes?: true;
}

export function refusal(
  status: number,
  code: number,
  message: string,
  more?: Omit<Refusal, 'status' | 'error'>,
): Refusal {
  return { status, error: { code, message }, ...more };
}

export const unavailable = -32_000;

const soon = { 'Retry-After': String(retryAfterSeconds) };

/** Too much is asked for. */
export const tooMany = (message: string) => refusal(429, unavailable, message, { headers: soon });

export const tooManySessions = refusal(503, unavailable, 'Too many sessions are open; retry later', { headers: soon });
export const draining = refusal(503, unavailable, 'The service is about to stop; retry later', {
  headers: soon,
  closes: true,
});

/** `shared`: headers of every answer to this request. */
export function refuse(
  response: ServerResponse,
  { status, headers, error, closes }: Refusal,
  shared: OutgoingHttpHeaders = {},
  id: RequestId | null = null,
): void {
  if (response.headersSent || response.destroyed) return;
  const isLast = closes === true || hasLongBody(response);
  const body = error === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, error });
  response.writeHead(status, {
    ...plainHeaders,
    ...shared,
    ...headers,
    ...(body !== '' && { 'Content-Type': 'application/json' }),
    'Content-Length': Buffer.byteLength(body),
    ...(isLast && { Connection: 'close' }),
  });
  if (isLast && !response.req.complete) linger(response, body);
  else response.end(body);
}

/**
 * Answers while the body still comes. Closed at once, the connection would be reset, and clients and proxies that are still sending
 * would not see the answer: what they send is dropped for a moment.
 */
function linger(response: ServerResponse, body: string): void {
  const { req } = response;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, lingerMs).unref();
  if (body === '') response.flushHeaders();
  else response.write(body);
  req.once('end', end).once('close', end).resume();
}

/** Whether the request announces more than is worth reading only to keep its connection. Some bodies have no length. */
function hasLongBody({ req }: ServerResponse): boolean {
  if (req.complete) return false;
  const { 'transfer-encoding': coding, 'content-length': length = '0' } = req.headers;
  return coding !== undefined || Number(length) > droppedBodyBytes;
}

/** Of every answer. */
export const plainHeaders: OutgoingHttpHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
