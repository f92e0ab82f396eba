/**
 * Thrown by `ask` where a client can be asked only during its calls: one of 2026-07-28, whose questions are results of requests, or one
 * over HTTP that has no stream open.
 */
export class OnlyDuringCalls extends Error {
  override readonly name = 'OnlyDuringCalls';
}

/** By name: each part of the program has its own copy of the class. */
export function isOnlyDuringCalls(error: unknown): error is OnlyDuringCalls {
  return error instanceof Error && error.name === 'OnlyDuringCalls';
}
