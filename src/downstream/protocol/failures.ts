import { DownstreamFailure } from '../../contract/downstream-failure.js';
import type { RpcFailure } from '../../jsonrpc/messages.js';

/** The server answered with a JSON-RPC error. */
export class RpcError extends DownstreamFailure {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: RpcFailure['error']) {
    super('protocol', `the server answered with error ${code}: ${withoutCode(message, code)}`);
    this.code = code;
    this.data = data;
  }
}

/** The server refused the request before reading it as a message, e.g. with an HTTP status. */
export class RefusedRequest extends DownstreamFailure {}

/** Servers made with an SDK put the code into the message, some of them twice. */
function withoutCode(message: string, code: number): string {
  const said = [`MCP error ${code}: `, `${code}: `].find((start) => message.startsWith(start));
  return said === undefined ? message : withoutCode(message.slice(said.length), code);
}

/** `setting`: what the limit is called in the configuration, if it can be changed there. */
export function timedOut(limitMs: number, setting?: string): DownstreamFailure {
  return new DownstreamFailure(
    'timeout',
    `no answer within ${limitMs} ms${setting === undefined ? '' : ` (${setting})`}`,
  );
}

/** `setting`: what the limit is called in the configuration, if it can be changed there. */
export function resultTooLarge(bytes: number, limit: number, setting: string | undefined): DownstreamFailure {
  const text =
    setting === undefined
      ? `its response of ${bytes} bytes is over the limit of ${limit}`
      : `its result of ${bytes} bytes is over the limit ${setting} (${limit}). Ask for less, or raise the setting`;
  return new DownstreamFailure('too-large', text);
}

/** For requests on a connection that the workbench itself has closed. */
export function closedByUs(): DownstreamFailure {
  return new DownstreamFailure('cancelled', 'the workbench closed the connection');
}
