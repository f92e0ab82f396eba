/** The request itself is wrong. The client gets a JSON-RPC error: it is not for the model to read. */
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

/** By its name: the class is another one in another part of the program. */
export function isRequestProblem(error: unknown): error is RequestProblem {
  return error instanceof Error && error.name === 'RequestProblem';
}
