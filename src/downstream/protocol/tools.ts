import type { CallToolResult, Tool } from '../../contract/types.js';
import { isRecord } from '../../jsonrpc/json.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { metaKeys, ownMetaPrefix } from '../../jsonrpc/revisions.js';
import { maxToolPages } from '../../limits.js';
import { BytesResult } from '../../results/bytes-result.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import { type Continuation, DownstreamFailure } from '../../workbench/ports/downstream.js';
import { RpcError } from './failures.js';
import type { RequestOptions, Requests } from './requests.js';

/** Follows the pages of `tools/list`. Malformed tools are ignored; the others are kept. */
export async function listTools(
  requests: Requests,
  options: RequestOptions,
  warn: (message: string) => void,
): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxToolPages; page++) {
    const result = await listPage(requests, cursor, options);
    for (const tool of Array.isArray(result['tools']) ? result['tools'] : []) {
      if (isTool(tool)) tools.push(tool);
      else warn('ignored a tool that has no name or no input schema');
    }
    const next = result['nextCursor'];
    if (typeof next !== 'string' || next === '') return tools;
    if (seen.has(next)) break;
    seen.add(next);
    cursor = next;
  }
  warn(`tools/list has over ${maxToolPages} pages or repeats one; only the first ${tools.length} tools are used`);
  return tools;
}

async function listPage(
  requests: Requests,
  cursor: string | undefined,
  options: RequestOptions,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const result = valueOf(await requests.request('tools/list', cursor === undefined ? {} : { cursor }, options));
    if (isRecord(result)) return result;
  } catch (error) {
    // A server without tools need not implement the method.
    if (error instanceof RpcError && error.code === rpcCode.methodNotFound) return {};
    throw error;
  }
  throw new DownstreamFailure('protocol', 'its result of tools/list is not an object');
}

/** Calls a tool. The result is as the server sent it, without fields that belong to the connection. */
export function callTool(
  requests: Requests,
  name: string,
  args: Readonly<Record<string, unknown>>,
  continuation: Continuation | undefined,
  options: RequestOptions,
): Promise<ToolResult> {
  return requests.request('tools/call', { name, arguments: args, ...continuation }, options).then(resultOf);
}

function resultOf(result: unknown): ToolResult {
  return result instanceof BytesResult ? result : new ValueResult(withoutIdentity(complete(result)));
}

/** For results that are read here and not forwarded: a large response arrives as bytes. */
function valueOf(result: unknown): unknown {
  return result instanceof BytesResult ? result.value() : result;
}

/** Reads a resource that a result of the server linked to. */
export async function readResource(
  requests: Requests,
  uri: string,
  options: RequestOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const result = complete(valueOf(await requests.request('resources/read', { uri }, options)));
  if (result['resultType'] === 'input_required') {
    throw new DownstreamFailure('protocol', 'it asks a question first, which is not supported for resources');
  }
  return withoutIdentity(result);
}

function complete(result: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(result)) throw new DownstreamFailure('protocol', 'its result is not an object');
  if (!('resultType' in result)) return result;
  const { resultType, ...rest } = result;
  if (resultType === 'input_required') return result;
  // `resultType` belongs to the connection; the response to the agent gets its own. A result of an unknown type, e.g. a
  // task, must not be taken for a complete one.
  if (resultType === undefined || resultType === 'complete') return rest;
  throw new DownstreamFailure(
    'protocol',
    // Not quoted: any text may be in it, also a secret.
    `its result has ${resultType === 'task' ? 'the type "task"' : 'a type'}, which is not supported`,
  );
}

// Results contain the server's identity; the agent would take it for that of the workbench, as it would keys of ours.
function withoutIdentity(result: Readonly<Record<string, unknown>>): CallToolResult {
  const meta = result['_meta'];
  if (!isRecord(meta) || !Object.keys(meta).some(isOurs)) return result;
  const others = Object.entries(meta).filter(([key]) => !isOurs(key));
  const { _meta, ...rest } = result;
  return others.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(others) };
}

function isOurs(metaKey: string): boolean {
  return metaKey === metaKeys.serverInfo || metaKey.startsWith(ownMetaPrefix);
}

/** Whether the value has the required fields of a tool. */
export function isTool(value: unknown): value is Tool {
  return isRecord(value) && typeof value['name'] === 'string' && value['name'] !== '' && isRecord(value['inputSchema']);
}
