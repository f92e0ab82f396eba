/** The request itself is invalid. It is answered with a JSON-RPC error, which is not meant for the model. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** By name, not `instanceof`: each part of the program has its own copy of the class. */
export function isRequestProblem(error: unknown): error is RequestProblem {
  return error instanceof Error && error.name === 'RequestProblem';
}
