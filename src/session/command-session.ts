import { type ErrorCode, WorkbenchError } from '../contract/errors.js';
import type { CallToolResult, ToolIdentifier, UseToolInput } from '../contract/types.js';
import { isRecord, type JsonObject } from '../jsonrpc/json.js';
import { isRequest, type RequestId, type RpcFailure, type RpcMessage, type RpcRequest } from '../jsonrpc/messages.js';
import { latestLegacyRevision } from '../jsonrpc/revisions.js';
import { version } from '../platform/version.js';
import { bytesOf, textOf } from '../results/held-bytes.js';
import type { Question } from '../workbench/ports/agent.js';
import type { Progress } from '../workbench/ports/downstream.js';
import type { ServerEvent, ServerFailure } from '../workbench/ports/observer.js';
import type { Caller } from './caller.js';
import type { SessionLink } from './link.js';
import { type Inspected, ownFailureIn, ownMethods, ownQuestion } from './own-requests.js';
import { excessIn } from './request-limits.js';
import type { AgentOutput } from './transport.js';

/** A command of ours as a session: it asks over the same link as an agent. */
export interface CommandSession {
  /** Starts a server if need be, and lists its tools. `isTimed`: and lists them once more. */
  inspect(name: Omit<ToolIdentifier, 'name'>, signal: AbortSignal, isTimed?: boolean): Promise<Inspected>;
  /** Calls a tool. */
  use(call: UseToolInput, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** What happens to a server, without its entry. */
type ShownEvent = ServerEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'server'> : never) : never;

/** What a command does with what it did not ask for. */
export interface CommandListener {
  /** Without it no question is answered. */
  readonly ask?: ((question: Question, signal: AbortSignal) => Promise<JsonObject>) | undefined;
  readonly server?: ((name: { toolbox: string; server: string }, event: ShownEvent) => void) | undefined;
}

/** The error of the workbench, as it was thrown where the calls run. */
function errorFrom({ message, data }: RpcFailure['error']): Error {
  const known = ownFailureIn(data);
  if (known === undefined) return new Error(message);
  const { hint, place, failure } = known;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- codes come from the same build
  const code = known.code as ErrorCode;
  const error = new WorkbenchError(code, message, { place, ...(hint !== undefined && { hint }) });
  return Object.assign(error, { serverFailure: failure });
}

/** Why a server could not be started, if an error of a command session says so. */
export function serverFailureIn(error: unknown): ServerFailure | undefined {
  if (!(error instanceof Error) || !('serverFailure' in error)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return error.serverFailure as ServerFailure | undefined;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export async function openCommandSession(
  openLink: (output: AgentOutput) => Promise<SessionLink>,
  { ask, server: onServer }: CommandListener,
): Promise<CommandSession> {
  const waiting = new Map<RequestId, Waiting>();
  const asked = new Map<RequestId, AbortController>();
  let lastId = 0;
  const caller: Caller = {
    revision: latestLegacyRevision,
    client: { name: 'mcp-workbench', version },
    capabilities: ask === undefined ? {} : { elicitation: { form: {}, url: {} } },
  };
  const link = await openLink({ send: receive, maxBytes: Number.POSITIVE_INFINITY, unread: 0 });

  function receive(message: RpcMessage): void {
    if (isRequest(message)) void answer(message);
    else if ('method' in message) notice(message.method, message.params ?? {});
    else settle(message.id, message);
  }

  function settle(id: RequestId, message: Exclude<RpcMessage, { readonly method: string }>): void {
    const sent = waiting.get(id);
    waiting.delete(id);
    if ('error' in message) sent?.reject(errorFrom(message.error));
    else sent?.resolve(valueOf(message.result));
  }

  function notice(method: string, params: JsonObject): void {
    if (method === ownMethods.server) onServer?.(serverIn(params), eventIn(params));
    else if (method === 'notifications/cancelled') asked.get(String(params['requestId']))?.abort();
    else if (method === 'notifications/progress') {
      const { progressToken, ...progress } = params;
      waiting.get(Number(progressToken))?.onProgress?.(progress);
    }
  }

  async function answer({ id, method, params = {} }: RpcRequest): Promise<void> {
    const abort = new AbortController();
    asked.set(String(id), abort);
    const isOwn = isRecord(params['_meta']) && params['_meta'][ownQuestion] === true;
    try {
      if (ask === undefined) throw new Error('this command answers no questions');
      const result = await ask({ method, params, ...(isOwn && { isOwn }) }, abort.signal);
      link.answered({ jsonrpc: '2.0', id, result });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      link.answered({ jsonrpc: '2.0', id, error: { code: -32_603, message: text } });
    } finally {
      asked.delete(String(id));
    }
  }

  function request(method: string, params: JsonObject, signal: AbortSignal, onProgress?: Waiting['onProgress']) {
    signal.throwIfAborted();
    const id = ++lastId;
    const _meta = onProgress && { _meta: { progressToken: id } };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, ..._meta } } as const;
    const line = lineOf(message);
    return new Promise<unknown>((resolve, reject) => {
      const cancel = () => {
        waiting.delete(id);
        link.cancel(id);
        reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
      };
      signal.addEventListener('abort', cancel, { once: true });
      const end = () => signal.removeEventListener('abort', cancel);
      waiting.set(id, {
        resolve: (result) => (end(), resolve(result)),
        reject: (error) => (end(), reject(error)),
        onProgress,
      });
      link.start(message, caller, line);
    });
  }

  return {
    async inspect({ toolbox, server }, signal, isTimed = false) {
      const inspected = await request(ownMethods.inspect, { toolbox, server, isTimed }, signal);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the engine of the same build
      return inspected as Inspected;
    },
    async use({ tool, arguments: args }, signal, onProgress) {
      const result = await request(ownMethods.use, { tool, arguments: args }, signal, onProgress);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
      return result as CallToolResult;
    },
    close: () => link.close(),
  };
}

/** As an agent would write it, and with the same limits. */
function lineOf(message: RpcRequest): Buffer {
  let text: string;
  try {
    text = JSON.stringify(message);
  } catch {
    throw new WorkbenchError('INPUT_INVALID', 'Invalid parameters: they are nested too deeply to be written');
  }
  const line = Buffer.from(text);
  const problem = excessIn(line);
  if (problem !== undefined) throw new WorkbenchError('INPUT_INVALID', `Invalid parameters: the request ${problem}`);
  return line;
}

function valueOf(result: unknown): unknown {
  const bytes = bytesOf(result);
  if (bytes === undefined) return result;
  return JSON.parse(textOf(bytes));
}

function serverIn({ toolbox, server }: JsonObject) {
  return { toolbox: String(toolbox), server: String(server) };
}

function eventIn({ event }: JsonObject): ShownEvent {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the engine of the same build
  return event as ShownEvent;
}
