import type { ErrorCode } from './error-codes.js';

export type { ErrorCode };

/** Where an error occurred, by the names in the configuration. */
export interface Place {
  readonly toolbox?: string;
  readonly server?: string;
  readonly tool?: string;
}

interface Details {
  readonly place?: Place;
  /** The next step: names that exist, the right shape, the next call to make. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error with a code and a place. Callers decide by `code`, never by the text. */
export class WorkbenchError extends Error {
  override readonly name = 'WorkbenchError';
  readonly code: ErrorCode;
  readonly place: Place;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, { place = {}, hint, cause }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.place = place;
    this.hint = hint;
  }
}

/** By name, not `instanceof`: each part of the program has its own copy of the class. */
export function isWorkbenchError(error: unknown): error is WorkbenchError {
  return error instanceof Error && error.name === 'WorkbenchError';
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
