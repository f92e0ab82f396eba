import { type ErrorCode, isWorkbenchError, messageOf, type Place } from '../../../contract/errors.js';
import { type ExitCode, exitCodes } from './exit-codes.js';

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly place?: Place;
  /** The command to run next. */
  readonly next?: string;
  readonly exit: ExitCode;
}

const exits: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  CONFIG_NOT_FOUND: exitCodes.configInvalid,
  CONFIG_INVALID: exitCodes.configInvalid,
  CONFIG_UNSAFE: exitCodes.configInvalid,
  CONFIG_UNTRUSTED: exitCodes.configInvalid,
  INPUT_INVALID: exitCodes.usage,
  TOOLBOX_NOT_FOUND: exitCodes.usage,
  SERVER_NOT_FOUND: exitCodes.usage,
  TOOL_NOT_FOUND: exitCodes.usage,
  CLIENT_NOT_FOUND: exitCodes.usage,
  SERVER_UNAVAILABLE: exitCodes.serverFailing,
  SERVER_STARTING: exitCodes.serverFailing,
  SERVER_BUSY: exitCodes.serverFailing,
  TOOLBOX_UNAVAILABLE: exitCodes.serverFailing,
};

/** An error of ours as a failure, with the exit code of its kind. `next`: the command to run then. */
export function failureOf(error: unknown, next?: string): Failure {
  if (!isWorkbenchError(error)) return { code: 'FAILED', message: messageOf(error), exit: exitCodes.failed };
  const { code, message, place } = error;
  return {
    code,
    message,
    ...(Object.keys(place).length > 0 && { place }),
    ...(next !== undefined && { next }),
    exit: exits[code] ?? exitCodes.failed,
  };
}

export function usageFailure(message: string): Failure {
  return { code: 'USAGE', message, exit: exitCodes.usage };
}
