/** The request itself is wrong, and the client is told so in a JSON-RPC error: it is not for the model to read. */
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
