import type { IncomingMessage } from 'node:http';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import type { RpcRequest } from '../../../jsonrpc/messages.js';
import { countOf } from '../exchange/raw-headers.js';

/** The parameter that `Mcp-Name` repeats, by method. */
const namedBy: Readonly<Record<string, string>> = {
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tools/call': 'name',
};

/** Why the headers of a modern request do not say what its body says; undefined if they do. `revision`: that of the body. */
export function headerProblem(
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  { method, params = {} }: RpcRequest,
  revision: string,
): string | undefined {
  const key = Object.hasOwn(namedBy, method) ? namedBy[method] : undefined;
  const name = key === undefined ? undefined : params[key];
  const expected: [name: string, value: string | undefined][] = [
    ['mcp-protocol-version', revision],
    ['mcp-method', method],
    ...(typeof name === 'string' ? ([['mcp-name', name]] as [string, string][]) : []),
    ...(method === 'tools/call' ? ([['mcp-param-toolbox', toolboxIn(params)]] as [string, string | undefined][]) : []),
  ];
  for (const [header, value] of expected) {
    const problem = problemOf(header, headers[header], value, countOf(rawHeaders, header));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(
  header: string,
  given: string | string[] | undefined,
  value: string | undefined,
  count: number,
): string | undefined {
  if (count > 1) return `header ${header} is there more than once`;
  if (value === undefined) return given === undefined ? undefined : `header ${header} repeats nothing of the body`;
  if (typeof given !== 'string') return `header ${header} is missing`;
  const decoded = decodedValue(given);
  if (decoded === undefined) return `header ${header} is not readable: it has to be ASCII, or =?base64?…?=`;
  return decoded === value ? undefined : `header ${header} is not what the body says`;
}

/** The argument that the tools are marked with. */
function toolboxIn({ name, arguments: args }: JsonObject): string | undefined {
  if (!isRecord(args)) return undefined;
  const { toolbox } = name === 'use_tool' ? (isRecord(args['tool']) ? args['tool'] : {}) : args;
  return (name === 'use_tool' || name === 'open_toolbox') && typeof toolbox === 'string' ? toolbox : undefined;
}

const encoded = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;
const ascii = /^[\t -~]*$/;

/** Undefined if it is not as the specification says. */
function decodedValue(value: string): string | undefined {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return ascii.test(value) ? value : undefined;
  const [, content] = encoded.exec(value) ?? [];
  if (content === undefined) return undefined;
  const bytes = Buffer.from(content, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}
