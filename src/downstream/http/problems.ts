import type { IncomingHttpHeaders } from 'node:http';
import type { FailureKind } from '../../contract/downstream-failure.js';
import { messageOf } from '../../contract/errors.js';
import type { Login } from '../../contract/login.js';
import { isRecord } from '../../jsonrpc/json.js';
import { maxRetryAfterMs } from '../../limits.js';
import { shorten } from '../../text/shorten.js';
import { type HttpResponse, isNetworkFailure, shownUrl } from './network/network.js';

/** Why an exchange failed, as plain data: the program has several copies of each class, one in every part. */
export interface HttpProblem {
  readonly kind: FailureKind;
  readonly message: string;
  /** The server has not read the message. */
  readonly isUnsent?: boolean;
  /** The status, if the server refused the message or answered with something else than MCP. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** How the user can change it. */
  readonly login?: Login | undefined;
}

/** Carries a problem to where the exchange ends. */
export class HttpFailure extends Error {
  readonly problem: HttpProblem;

  constructor(problem: HttpProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

const longestQuote = 200;

export function problemFrom(error: unknown, url: URL): HttpProblem {
  if (error instanceof HttpFailure) return error.problem;
  if (isNetworkFailure(error)) return { kind: 'lost', message: error.message, isUnsent: !error.wasSent };
  return { kind: 'protocol', message: `${shownUrl(url)} could not be used: ${messageOf(error)}` };
}

/** `cause`: what the network says about it, if it was not a regular end. */
export function brokenOff(url: URL, cause?: unknown): HttpProblem {
  const message = `${shownUrl(url)} ended the stream before the response was complete`;
  return { kind: 'lost', message: isNetworkFailure(cause) ? cause.message : message };
}

/** Of a message that could not be sent while the connection stays. */
export const unreachable = { kind: 'unreachable', isUnsent: false } as const;

export function withoutResponse(response: HttpResponse): HttpProblem {
  return notMcp(response, 'without a response to the request');
}

export function sessionForgotten(url: URL): HttpProblem {
  const message = `${shownUrl(url)} no longer has the session`;
  return { kind: 'forgotten', message, isUnsent: true };
}

export function wrongContent(response: HttpResponse): HttpProblem {
  const type = mediaType(response.headers);
  const what = type === 'text/html' ? 'a web page (text/html)' : type || 'a body without a content type';
  return notMcp(response, `with ${what} instead of MCP`);
}

function notMcp(response: HttpResponse, what: string): HttpProblem {
  const message = `${shownUrl(response.url)} answered ${statusLine(response)} ${what}; ${checkUrl}`;
  return { kind: 'protocol', message, status: response.status };
}

/** A response with what is wrong with the login, if that is the cause. */
interface RefusedResponse extends HttpResponse {
  readonly loginProblem?: { readonly message: string; readonly login?: Login } | undefined;
}

/** `body`: as far as it was read. */
export function problemOf(response: RefusedResponse, body: string, hasAuthorization: boolean): HttpProblem {
  const { status, headers, loginProblem } = response;
  if (loginProblem !== undefined) return { kind: 'unauthorized', ...loginProblem };
  if (isWait(response)) return wait(response);
  const quoted = quote(body, headers);
  const said = quoted && `: ${quoted}`;
  if (isUnauthorized(response)) return unauthorized(response, hasAuthorization, said);
  const advice = adviceFor(status);
  const message = `${shownUrl(response.url)} answered ${statusLine(response)}${said}${advice && `; ${advice}`}`;
  return { kind: status >= 500 ? 'lost' : 'protocol', message, status };
}

/** Some servers add a JSON-RPC error, which says less. */
export function isDecidedByStatus(response: HttpResponse): boolean {
  return isUnauthorized(response) || isWait(response);
}

function isUnauthorized({ status }: HttpResponse): boolean {
  return status === 401 || status === 403;
}

function isWait({ status, headers }: HttpResponse): boolean {
  return status === 429 || (status === 503 && headers['retry-after'] !== undefined);
}

/** `said`: what the server says about it; a 403 is often about the host or the origin of the request. */
function unauthorized(response: HttpResponse, hasAuthorization: boolean, said: string): HttpProblem {
  const { status, url, droppedHeaders } = response;
  if (droppedHeaders) {
    const why = `the configured headers were not sent, because it redirects to another origin. Use ${shownUrl(url)} as the url`;
    return { kind: 'unauthorized', message: `needs a login (${status}); ${why}` };
  }
  const what = hasAuthorization ? 'rejected the configured Authorization header' : 'needs a login';
  return { kind: 'unauthorized', message: `${what} (${status})${status === 403 ? said : ''}` };
}

function wait(response: HttpResponse): HttpProblem {
  const retryAfterMs = retryAfter(response.headers['retry-after']);
  const time = retryAfterMs === undefined ? '' : ` ${Math.ceil(retryAfterMs / 1000)} s`;
  const message = `asks to wait${time} (${statusLine(response)})`;
  return { kind: 'wait', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Seconds, or a date. */
function retryAfter(value: string | undefined): number | undefined {
  const ms = /^\d+$/.test(value ?? '') ? Number(value) * 1000 : Date.parse(value ?? '') - Date.now();
  // A time that is over is no time to wait.
  return ms > 0 ? Math.min(ms, maxRetryAfterMs) : undefined;
}

function statusLine({ status, statusText }: HttpResponse): string {
  return statusText === '' ? `HTTP ${status}` : `${status} ${shorten(statusText, 60)}`;
}

const checkUrl = 'check the URL and, if it is set, "type"';
const wrongPlace: ReadonlySet<number> = new Set([400, 404, 405, 406, 410, 415]);

function adviceFor(status: number): string {
  if (status >= 500) return 'the cause is on the server';
  return status < 400 || wrongPlace.has(status) ? checkUrl : '';
}

/** What a server says about its refusal. Pages are for browsers. */
function quote(body: string, headers: IncomingHttpHeaders): string {
  const type = mediaType(headers);
  if (type === 'text/plain') return shorten(body.trim().split('\n', 1)[0]?.trim() ?? '', longestQuote);
  if (type !== 'application/json' && !type.endsWith('+json')) return '';
  const value = parsed(body);
  if (!isRecord(value)) return '';
  const error = isRecord(value['error']) ? value['error'] : value;
  const texts = [error['message'], error['error_description'], error['detail'], error['error']];
  const text = texts.find((each) => typeof each === 'string');
  return shorten(text ?? '', longestQuote);
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isOk({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

export function isEventStream({ status, headers }: HttpResponse): boolean {
  return status === 200 && mediaType(headers) === 'text/event-stream';
}

export function mediaType(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
