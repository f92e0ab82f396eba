import { DownstreamFailure, NotSent } from '../../contract/downstream-failure.js';
import { WorkbenchError } from '../../contract/errors.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { rpcCode } from '../../jsonrpc/messages.js';
import { metaKeys } from '../../jsonrpc/revisions.js';
import { maxTools } from '../../limits.js';
import { loadPart } from '../../platform/load-part.js';
import type { ToolResult } from '../../results/tool-result.js';
import { type Asker, newBudget } from '../../workbench/asking/asked-question.js';
import { askAll, questionsIn } from '../../workbench/asking/input-requests.js';
import type { CallOptions } from '../../workbench/ports/downstream.js';
import { RpcError, resultTooLarge } from './failures.js';
import { capabilitiesFor, type Handshake } from './handshake.js';
import type { RequestOptions } from './pending-requests.js';
import type { Requests } from './requests.js';
import { tasksExtension } from './tasks/extension.js';
import type { TaskCall, TaskHost } from './tasks/host.js';
import { callTool, toolResult } from './tools.js';

/** Calls of tools, some of which are tasks at the server. */
export interface ToolCalls {
  call(name: string, args: JsonObject, options: CallOptions, request: RequestOptions): PromiseLike<ToolResult>;
  /** Resolves when no task is being cancelled any more. */
  cancelled(): Promise<unknown>;
}

interface Connection {
  readonly requests: Requests;
  readonly handshake: Handshake;
  readonly asker: Asker & { readonly offersRoots: boolean };
}

export function createToolCalls({ requests, handshake, asker }: Connection): ToolCalls {
  const isModern = handshake.era === 'modern';
  /** Tools that are called with the extension: without it the server refused them. */
  const declared = new Set<string>();

  const host: TaskHost = {
    request: (method, params, options) => requests.request(method, params, options),
    isModern,
    metaOf: ({ request }) => (isModern ? withTasks(request.meta) : undefined),
    cancelling: new Set(),
    async ask(inputRequests, { name, options }, signal) {
      const { agent, budget = newBudget() } = options;
      const tool = { toolbox: asker.toolbox, server: asker.server, name };
      const questions = questionsIn(inputRequests, tool, { capabilities: capabilitiesFor(agent, asker) }, budget);
      if (agent === undefined) return {};
      const resumeClocks = requests.pauseClocks();
      return askAll(questions, tool, { agent, signal }, budget).finally(resumeClocks);
    },
    toolResult: (found, sizes) => toolResult(found, requests, sizes),
    failure: (kind, text) => new DownstreamFailure(kind, requests.mask(text)),
    rpcError: (code, text) => new RpcError({ code, message: requests.mask(text) }),
    tooLarge: resultTooLarge,
    sinceCreation,
  };

  async function run(call: TaskCall, created?: JsonObject): Promise<ToolResult> {
    const { createTask, followCreated } = await loadPart(() => import('./tasks/run-task.js'));
    return created === undefined ? createTask(call, host) : followCreated(created, call, host);
  }

  /** In 2026-07-28 the server decides that a call is a task, if the client can follow one. Some of its tools are nothing else. */
  function callModern(
    name: string,
    args: JsonObject,
    options: CallOptions,
    request: RequestOptions,
  ): PromiseLike<ToolResult> {
    const since = performance.now();
    const hold = () => requests.hold<ToolResult>(request, performance.now() - since);
    const task = (created: JsonObject) => run({ name, args, options, request, hold }, created);
    const send = (capable: RequestOptions, failed: (error: unknown) => PromiseLike<ToolResult>) =>
      callTool(requests, name, args, options.continuation, capable, { task, failed });
    const withExtension = () => send({ ...request, meta: withTasks(request.meta) }, rethrow);
    if (options.asTask === true || declared.has(name)) return withExtension();
    return send(request, (error) => {
      if (!requiresTasks(error)) throw error;
      if (declared.size < maxTools) declared.add(name);
      // It was refused, so nothing has happened.
      return withExtension();
    });
  }

  return {
    call(name, args, options, request) {
      if (options.asTask === true && !handshake.hasTasks) throw withoutTasks(asker, name);
      if (isModern) return callModern(name, args, options, request);
      // Here the client decides, and the tool has said what it takes.
      if (options.asTask === true) return run({ name, args, options, request, hold: () => requests.hold(request, 0) });
      return callTool(requests, name, args, options.continuation, request);
    },
    cancelled: () => Promise.all(host.cancelling),
  };
}

function rethrow(error: unknown): never {
  throw error;
}

/** With the extension among the capabilities of a request. */
function withTasks(meta: JsonObject = {}): JsonObject {
  const capabilities = meta[metaKeys.clientCapabilities];
  const extensions = { [tasksExtension]: {} };
  return { ...meta, [metaKeys.clientCapabilities]: { ...(isRecord(capabilities) && capabilities), extensions } };
}

function requiresTasks(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.code !== rpcCode.missingCapability) return false;
  const required = isRecord(error.data) ? error.data['requiredCapabilities'] : undefined;
  const extensions = isRecord(required) ? required['extensions'] : undefined;
  return isRecord(extensions) && tasksExtension in extensions;
}

const refusals: ReadonlySet<unknown> = new Set(['forgotten', 'unauthorized', 'wait', 'unreachable']);

/** Once there is a task, no failure means that nothing was done: the call would be made again, and with it another task. */
function sinceCreation(error: unknown): Error {
  if (error instanceof NotSent || (error instanceof DownstreamFailure && refusals.has(error.kind)))
    return new DownstreamFailure('lost', error.message, { log: error.log });
  return error instanceof Error ? error : new Error(String(error));
}

/** The server lists a tool that it cannot run. */
export function withoutTasks({ toolbox, server }: Asker, tool: string): WorkbenchError {
  const text = `Tool '${tool}' of server '${server}' (toolbox '${toolbox}') can only be called as a task, which the server does not support`;
  return new WorkbenchError('TOOL_NEEDS_TASKS', text, { place: { toolbox, server, tool }, hint: 'Use another tool.' });
}
