import type { CancelSignal } from '../jsonrpc/cancellation.js';
import { printable } from '../text/printable.js';
import type { Login } from './login.js';

/**
 * - `unreachable`: no process was started, or it is not an MCP server
 * - `crashed`: the process was running and exited by itself
 * - `lost`: the network failed: no connection was made, or it broke before the response was complete
 * - `forgotten`: a remote server no longer has the session
 * - `unauthorized`: a remote server needs credentials, or other ones
 * - `wait`: the server asks to be called later; see `retryAfterMs`
 * - `timeout`, `cancelled`, `busy`, `too-large`: one call failed, the connection stays
 * - `protocol`: the server answered the call with an error of JSON-RPC or HTTP
 */
export type FailureKind =
  | 'unreachable'
  | 'crashed'
  | 'lost'
  | 'forgotten'
  | 'unauthorized'
  | 'wait'
  | 'timeout'
  | 'cancelled'
  | 'busy'
  | 'too-large'
  | 'protocol';

/**
 * A failure of a server. The message is a phrase on what the server did; the workbench adds toolbox and server. It may quote
 * the server, so it is made printable here, for errors and logs alike.
 */
export class DownstreamFailure extends Error {
  override readonly name = 'DownstreamFailure';
  readonly kind: FailureKind;
  /** The file with all that the server wrote, if it wrote something. */
  readonly log: string | undefined;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** With which the user can change it. */
  readonly login: Login | undefined;

  constructor(kind: FailureKind, message: string, { cause, log, retryAfterMs, login }: FailureDetails = {}) {
    super(printable(message), cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.log = log;
    this.retryAfterMs = retryAfterMs;
    this.login = login;
  }
}

/** The user has cancelled the call, with a command of ours. */
export class CancelledByUser extends DownstreamFailure {
  constructor() {
    super('cancelled', 'the user cancelled the call');
  }
}

/** The login that a failure names, however deep in its causes. */
export function loginIn(error: unknown): Login | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DownstreamFailure && cause.login !== undefined) return cause.login;
  }
  return undefined;
}

interface FailureDetails {
  readonly cause?: unknown;
  readonly log?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly login?: Login | undefined;
}

/** The call was not sent, or refused unread because its session is over, so it may go to the next connection. */
export class NotSent extends DownstreamFailure {}

/** A start that failed. It is reported at once, while cleanup still runs; a new start waits for the cleanup. */
export class StartFailure extends DownstreamFailure {
  readonly cleanup: Promise<void>;

  constructor(failure: DownstreamFailure, cleanup: Promise<void>) {
    super(failure.kind, failure.message, failure);
    this.cleanup = cleanup;
  }
}

/** The failure that a signal was aborted with; by default, that the agent cancelled the call. */
export function failureOf(signal: CancelSignal): DownstreamFailure {
  const reason: unknown = signal.reason;
  if (reason instanceof DownstreamFailure) return reason;
  // A part has other classes than the engine, so it gives an ordinary error. Without a reason there is a DOMException.
  const isGiven = reason instanceof Error && !(reason instanceof DOMException);
  return new DownstreamFailure('cancelled', isGiven ? reason.message : 'the agent cancelled the call');
}
