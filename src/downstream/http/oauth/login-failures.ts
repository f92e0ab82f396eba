import {
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { isWorkbenchError, messageOf, WorkbenchError } from '../../../contract/errors.js';
import { isRecord } from '../../../jsonrpc/json.js';
import { loginRequestMs } from '../../../limits.js';
import { printableLine } from '../../../text/printable.js';
import { createReplaceAny } from '../../../text/replace-any.js';
import { shorten } from '../../../text/shorten.js';

const longestQuote = 200;

/** What went wrong, as one line. `secrets`: what an authorization server may repeat in its answer. */
export function loginFailure(error: unknown, secrets: Iterable<string>): WorkbenchError {
  if (isWorkbenchError(error)) return error;
  const mask = createReplaceAny(secrets, '***');
  if (error instanceof IssuerMismatchError) return mismatch();
  return new WorkbenchError('LOGIN_FAILED', mask(reasonOf(error)), { cause: error });
}

export function mismatch(): WorkbenchError {
  return new WorkbenchError('LOGIN_MISMATCH', 'The answer does not belong to this request; nothing was stored.');
}

/** Whether the authorization server no longer accepts the login or the client. */
export function isRefusal(error: unknown): error is OAuthError {
  return error instanceof OAuthError && refusals.has(error.code);
}

const refusals: ReadonlySet<string> = new Set([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
  OAuthErrorCode.InvalidScope,
]);

const withoutText: ReadonlySet<string> = new Set([OAuthErrorCode.ServerError]);

/** Bodies are not quoted: tokens may be in them. */
function reasonOf(error: unknown): string {
  if (error instanceof OAuthError) {
    // The SDK puts the whole body into the text of an error without a code.
    if (withoutText.has(error.code)) return 'the authorization server answered with an error';
    return `the authorization server answered ${quoted(error.code)}${said(error.code, error.message)}`;
  }
  if (error instanceof RegistrationRejectedError) {
    return `the authorization server refused to register this client (HTTP ${error.status})${saidIn(error.body)}`;
  }
  if (!(error instanceof Error)) return 'the login failed';
  if (error.name === 'TimeoutError') return `no answer within ${loginRequestMs / 1000} s`;
  if (error.name === 'ZodError' || error.name === 'SyntaxError' || error.name === 'TypeError')
    return 'the authorization server, or the server, sent metadata or an answer that is not valid';
  return quoted(messageOf(error));
}

function said(code: string, message: string): string {
  return message === '' || message === code ? '' : `: ${quoted(message)}`;
}

function saidIn(body: string): string {
  try {
    const answer: unknown = JSON.parse(body);
    const text = isRecord(answer) ? (answer['error_description'] ?? answer['error']) : undefined;
    return typeof text === 'string' ? `: ${quoted(text)}` : '';
  } catch {
    return '';
  }
}

function quoted(text: string): string {
  return shorten(printableLine(text), longestQuote);
}
