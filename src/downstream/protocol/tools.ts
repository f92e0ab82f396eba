import { DownstreamFailure } from '../../contract/downstream-failure.js';
import type { CallToolResult } from '../../contract/types.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import type { Reply } from '../../jsonrpc/reply.js';
import { metaKeys, ownMetaPrefix } from '../../jsonrpc/revisions.js';
import { longestErrorText, maxListingBytes, maxToolPages } from '../../limits.js';
import { BytesResult } from '../../results/bytes-result.js';
import { type CallSizes, type ToolResult, ValueResult } from '../../results/tool-result.js';
import { firstLine } from '../../text/first-line.js';
import type { Continuation } from '../../workbench/ports/downstream.js';
import type { ListedTools } from '../../workbench/ports/tool-cache.js';
import { type Admits, createAdmission } from './admit-tools.js';
import { RpcError } from './failures.js';
import type { RequestOptions } from './pending-requests.js';
import type { Requests } from './requests.js';
import { relatedTask } from './tasks/extension.js';
import { ToolPage } from './tool-page.js';

/** Follows the pages of `tools/list`, within limits. Unusable tools are left out and counted. */
export async function listTools(requests: Requests, options: RequestOptions, admits?: Admits): Promise<ListedTools> {
  const admission = createAdmission(admits);
  const seen = new Set<string>();
  let cursor: string | undefined;
  let bytesLeft = maxListingBytes;
  for (let page = 0; page < maxToolPages; page++) {
    const onBytes = (bytes: number) => {
      bytesLeft -= bytes;
    };
    const result = await listPage(requests, cursor, { ...options, maxBytes: bytesLeft, onBytes });
    if (result === 'too-large') break;
    const { tools, others, nextCursor, isCut } = result;
    for (const tool of tools) await admission.add(tool);
    admission.count('excess', others);
    if (isCut) break;
    if (typeof nextCursor !== 'string' || nextCursor === '') return admission.result();
    if (seen.has(nextCursor)) break;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  admission.count('cut', 1);
  return admission.result();
}

interface Page {
  readonly tools: readonly unknown[];
  readonly others: number;
  readonly nextCursor: unknown;
  readonly isCut: boolean;
}

async function listPage(
  requests: Requests,
  cursor: string | undefined,
  options: RequestOptions,
): Promise<Page | 'too-large'> {
  try {
    const result = valueOf(
      await requests.request('tools/list', cursor === undefined ? {} : { cursor }, { ...options, mayBePage: true }),
    );
    if (result instanceof ToolPage) return result;
    if (isRecord(result)) {
      const { tools, nextCursor } = result;
      return { tools: Array.isArray(tools) ? tools : [], others: 0, nextCursor, isCut: false };
    }
  } catch (error) {
    // A server without tools need not implement the method.
    if (error instanceof RpcError && error.code === rpcCode.methodNotFound) {
      return { tools: [], others: 0, nextCursor: undefined, isCut: false };
    }
    if (error instanceof DownstreamFailure && error.kind === 'too-large') return 'too-large';
    throw error;
  }
  throw new DownstreamFailure('protocol', 'its result of tools/list is not an object');
}

/** What else may come of a call. */
export interface CallHandlers {
  /** The server has created a task. */
  readonly task: (created: JsonObject) => PromiseLike<ToolResult>;
  readonly failed: (error: unknown) => PromiseLike<ToolResult>;
}

/** Calls a tool. The result is as the server sent it, without fields that belong to the connection. */
export function callTool(
  requests: Requests,
  name: string,
  args: JsonObject,
  continuation: Continuation | undefined,
  options: RequestOptions,
  handlers?: CallHandlers,
): Reply<ToolResult> {
  const paramsWith = (_meta: JsonObject | undefined) =>
    continuation === undefined ? { name, arguments: args, _meta } : { name, arguments: args, ...continuation, _meta };
  return requests
    .send('tools/call', paramsWith, options)
    .then(
      (found) =>
        handlers !== undefined && isRecord(found) && found['resultType'] === 'task'
          ? handlers.task(found)
          : toolResult(found, requests, options.sizes),
      handlers?.failed,
    );
}

/** The result of a call, which is what the server sent in `result`. */
export function toolResult(found: unknown, requests: Requests, sizes: CallSizes | undefined): ToolResult {
  const result = resultOf(found);
  result.sizes = sizes;
  if (result.isError) result.reason = errorLine(result.value()['content'], requests);
  return result;
}

/** For people who look why a call failed: the agent gets the whole result. */
function errorLine(content: unknown, { mask }: Requests): string | undefined {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.flatMap((block) =>
    isRecord(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  const text = texts.find((one) => /\S/.test(one)) ?? '';
  // Cut first: making millions of characters readable takes seconds.
  return firstLine(mask(text.slice(0, longestErrorText), text.length > longestErrorText));
}

function resultOf(result: unknown): ToolResult {
  return result instanceof BytesResult ? result : new ValueResult(withoutIdentity(complete(result)));
}

/** For results that are read here and not forwarded: a large response arrives as bytes. */
function valueOf(result: unknown): unknown {
  return result instanceof BytesResult ? result.value() : result;
}

/** Reads a resource that a result of the server linked to. */
export async function readResource(requests: Requests, uri: string, options: RequestOptions): Promise<JsonObject> {
  const result = complete(valueOf(await requests.request('resources/read', { uri }, options)));
  if (result['resultType'] === 'input_required') {
    throw new DownstreamFailure('protocol', 'it asks a question first, which is not supported for resources');
  }
  return withoutIdentity(result);
}

function complete(result: unknown): JsonObject {
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

// Results contain the server's identity; the agent would take it for that of the workbench, as it would keys of ours. Tasks are
// those of the connection.
function withoutIdentity(result: JsonObject): CallToolResult {
  const meta = result['_meta'];
  if (!isRecord(meta) || !Object.keys(meta).some(isOurs)) return result;
  const others = Object.entries(meta).filter(([key]) => !isOurs(key));
  const { _meta, ...rest } = result;
  return others.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(others) };
}

function isOurs(metaKey: string): boolean {
  return metaKey === metaKeys.serverInfo || metaKey === relatedTask || metaKey.startsWith(ownMetaPrefix);
}
