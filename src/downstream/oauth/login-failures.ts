import {
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client';
import { isWorkbenchError, messageOf, WorkbenchError } from '../../contract/errors.js';
import { isRecord } from '../../jsonrpc/json.js';
import { loginRequestMs } from '../../limits.js';
import { printableLine } from '../../text/printable.js';
import { createReplaceAny, type ReplaceAny } from '../../text/replace-any.js';
import { shorten } from '../../text/shorten.js';

const longestQuote = 200;

/** Text of others as it can be shown. */
type Quote = (text: string) => string;

/**
 * What went wrong, as one line. `mask` replaces the secrets of the server's entry; `secrets`: what else an authorization
 * server may repeat in its answer.
 */
export function loginFailure(error: unknown, mask: ReplaceAny, secrets: Iterable<string> = []): WorkbenchError {
  if (isWorkbenchError(error)) {
    error.message = mask(error.message);
    return error;
  }
  const maskIssued = createReplaceAny(secrets, '***');
  if (error instanceof IssuerMismatchError && error.kind === 'authorization_response') return mismatch();
  // Before texts are cut: a part of a secret would not be found.
  const quote = (text: string) => shorten(printableLine(mask(maskIssued(text))), longestQuote);
  return new WorkbenchError('LOGIN_FAILED', reasonOf(error, quote), { cause: error });
}

export function mismatch(): WorkbenchError {
  return new WorkbenchError('LOGIN_MISMATCH', 'The answer does not belong to this request; nothing was stored.');
}

/** Whether the authorization server no longer accepts the login or the client. */
export function isRefusal(error: unknown): error is OAuthError {
  return error instanceof OAuthError && refusals.has(error.code);
}

/** Whether the authorization server no longer has the client, which must be registered again. */
export function isClientRefusal(error: unknown): boolean {
  return error instanceof OAuthError && clientRefusals.has(error.code);
}

const clientRefusals: ReadonlySet<string> = new Set([OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient]);

const refusals: ReadonlySet<string> = new Set([
  ...clientRefusals,
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidScope,
]);

const withoutText: ReadonlySet<string> = new Set([OAuthErrorCode.ServerError]);

/** Bodies are not quoted: tokens may be in them. */
function reasonOf(error: unknown, quote: Quote): string {
  if (error instanceof OAuthError) {
    // The SDK puts the whole body into the text of an error without a code.
    if (withoutText.has(error.code)) return 'the authorization server answered with an error';
    return `the authorization server answered ${quote(error.code)}${said(error, quote)}`;
  }
  if (error instanceof RegistrationRejectedError) {
    return `the authorization server refused to register this client (HTTP ${error.status})${saidIn(error.body, quote)}`;
  }
  if (error instanceof IssuerMismatchError) {
    const { expected = '', received = '' } = error;
    return `the metadata of the authorization server ${quote(expected)} are those of another issuer, ${quote(received)}`;
  }
  if (!(error instanceof Error)) return 'the login failed';
  if (error.name === 'TimeoutError') return `no answer within ${loginRequestMs / 1000} s`;
  if (error.name === 'ZodError' || error.name === 'SyntaxError' || error.name === 'TypeError')
    return 'the authorization server, or the server, sent metadata or an answer that is not valid';
  return quote(messageOf(error));
}

function said({ code, message }: OAuthError, quote: Quote): string {
  return message === '' || message === code ? '' : `: ${quote(message)}`;
}

function saidIn(body: string, quote: Quote): string {
  try {
    const answer: unknown = JSON.parse(body);
    const text = isRecord(answer) ? (answer['error_description'] ?? answer['error']) : undefined;
    return typeof text === 'string' ? `: ${quote(text)}` : '';
  } catch {
    return '';
  }
}
