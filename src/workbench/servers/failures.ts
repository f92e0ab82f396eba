import type { ServerConfig } from '../../config/config.js';
import { DownstreamFailure, type FailureKind, loginIn, NotSent } from '../../contract/downstream-failure.js';
import { type ErrorCode, isWorkbenchError, messageOf, WorkbenchError } from '../../contract/errors.js';
import type { ToolIdentifier } from '../../contract/types.js';
import { longestReason } from '../../limits.js';
import { loadPart } from '../../platform/load-part.js';
import { printableLine } from '../../text/printable.js';
import { shorten } from '../../text/shorten.js';
import { NotStarted } from './supervised-server.js';
import { StillWaiting } from './within.js';

type ServerPlace = Pick<ToolIdentifier, 'toolbox' | 'server'>;

/** Why a server cannot be used, as one line, with the file that has the details if there is room. */
export function reasonOf(cause: unknown, length = longestReason): string {
  const text = printableLine(typeof cause === 'string' ? cause : messageOf(cause));
  const log = cause instanceof DownstreamFailure && cause.log !== undefined ? ` (log: ${cause.log})` : '';
  return log.length > length / 2 ? shorten(text, length) : `${shorten(text, length - log.length)}${log}`;
}

/** A server's own answer to a call is not cut: it is written for the agent. */
function failureText(failure: DownstreamFailure): string {
  return failure.kind === 'protocol' ? failure.message : reasonOf(failure);
}

/** The server could not be reached, so nothing was sent to it. A WorkbenchError is returned unchanged. */
export function connectFailed(
  { toolbox, server }: ServerPlace,
  cause: unknown,
  notDone = 'The tool was not called.',
): WorkbenchError {
  if (isWorkbenchError(cause)) return cause;
  const place = { toolbox, server };
  if (cause instanceof StillWaiting) {
    const words = cause.lastWords === undefined ? '' : `; ${reasonOf(cause.lastWords)}`;
    const text = `Server '${server}' in toolbox '${toolbox}' is still starting${words}`;
    return new WorkbenchError('SERVER_STARTING', text, {
      place,
      hint: `${notDone} Retry this call in a moment.`,
    });
  }
  return new WorkbenchError(
    unreachedCode(cause),
    `Failed to connect to server '${server}' in toolbox '${toolbox}': ${reasonOf(cause)}`,
    { place, cause },
  );
}

function unreachedCode(cause: unknown): ErrorCode {
  if (cause instanceof DownstreamFailure && cause.kind === 'cancelled') return 'CALL_CANCELLED';
  return loginIn(cause)?.isOfService === true ? 'LOGIN_NEEDED' : 'SERVER_UNAVAILABLE';
}

/** The same, with what the user can do about it. */
export async function connectFailedFor(entry: ServerConfig, cause: unknown): Promise<WorkbenchError> {
  const error = connectFailed({ toolbox: entry.toolbox, server: entry.name }, cause);
  if (error === cause || error.code !== 'SERVER_UNAVAILABLE') return error;
  const { userHint } = await loadPart(() => import('./user-hint.js'));
  const { message, place } = error;
  const kind = cause instanceof DownstreamFailure ? cause.kind : undefined;
  const hint = userHint(entry, kind, typeof cause === 'string' ? cause : messageOf(cause));
  return new WorkbenchError(error.code, message, { place, hint, cause });
}

const codeOf: Record<FailureKind, ErrorCode> = {
  unreachable: 'SERVER_UNAVAILABLE',
  crashed: 'CALL_FAILED',
  lost: 'CALL_FAILED',
  forgotten: 'SERVER_UNAVAILABLE',
  unauthorized: 'SERVER_UNAVAILABLE',
  wait: 'SERVER_BUSY',
  timeout: 'CALL_TIMEOUT',
  cancelled: 'CALL_CANCELLED',
  busy: 'SERVER_BUSY',
  'too-large': 'CALL_FAILED',
  protocol: 'CALL_FAILED',
};

const unknownOutcome = 'It is unknown whether the tool took effect.';

const hintOf: Partial<Record<FailureKind, string>> = {
  crashed: `${unknownOutcome} The call was not retried. The next call starts the server again.`,
  lost: `${unknownOutcome} The call was not retried.`,
  forgotten: 'The tool was not called. Retry this call.',
  wait: 'The tool was not called. Retry this call after that time.',
  timeout: `${unknownOutcome} The call was not retried.`,
  busy: 'The tool was not called. Wait for running calls to finish, then retry this call.',
};

const byUser = 'Cancelled by the user';

/** `mayHaveRun`: the call was sent, or may have been. */
export function cancelledByUser({ toolbox, server, name }: ToolIdentifier, mayHaveRun: boolean): WorkbenchError {
  return new WorkbenchError('CALL_CANCELLED', byUser, {
    place: { toolbox, server, tool: name },
    hint: mayHaveRun ? unknownOutcome : 'The tool was not called.',
  });
}

/** The error of a call that the user has cancelled: a call that was sent got it from here, all others end in many ways. */
export function endedByUser(error: unknown, id: ToolIdentifier): unknown {
  if (!isWorkbenchError(error) || error.code !== 'CALL_CANCELLED' || error.message === byUser) return error;
  return cancelledByUser(id, false);
}

/** Reading a resource failed on its known server. */
export function readFailed(uri: string, place: ServerPlace, cause: unknown): WorkbenchError {
  const reached = cause instanceof NotStarted ? cause.cause : cause;
  if (!(reached instanceof DownstreamFailure) || cause instanceof NotStarted) {
    return connectFailed(place, reached, 'The resource was not read.');
  }
  const text = `Reading '${shorten(uri, 300)}' from server '${place.server}' (toolbox '${place.toolbox}') failed: ${failureText(reached)}`;
  const code = reached.kind === 'unauthorized' ? unreachedCode(reached) : codeOf[reached.kind];
  return new WorkbenchError(code, text, { place, cause });
}

/** Whether the server answered the call with a JSON-RPC error. */
export function isRpcError(cause: unknown): boolean {
  return cause instanceof DownstreamFailure && cause.kind === 'protocol';
}

function isOutOfReach({ kind }: DownstreamFailure): boolean {
  return kind === 'unreachable' || kind === 'unauthorized';
}

/** A call ended without a result. `explanation`: what is wrong with its arguments, if that is known. */
export function callFailed(id: ToolIdentifier, cause: unknown, explanation?: string): WorkbenchError {
  if (cause instanceof NotStarted) return connectFailed(id, cause.cause);
  if (!(cause instanceof DownstreamFailure) || isOutOfReach(cause)) return connectFailed(id, cause);
  return new WorkbenchError(
    codeOf[cause.kind],
    `Tool '${id.name}' of server '${id.server}' (toolbox '${id.toolbox}') failed: ${failureText(cause)}`,
    {
      place: { toolbox: id.toolbox, server: id.server, tool: id.name },
      hint: explanation ?? (cause instanceof NotSent ? hintOf.forgotten : hintOf[cause.kind]),
      cause,
    },
  );
}
