import { Cancellation } from '../../../jsonrpc/cancellation.js';
import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import type { CallSizes, ToolResult } from '../../../results/tool-result.js';
import { followTask, type TaskOutcome, type TaskPort } from './follow-task.js';
import type { HeldWork, TaskCall, TaskHost, TaskRequestOptions } from './host.js';
import { longestPollMs, maxTaskStateBytes, shortestPollMs, taskCancelMs } from './limits.js';
import { isTaskId, withoutTaskId } from './task-id.js';

/** What the server answered to a call that may be a task. */
type Created = { readonly task: JsonObject } | { readonly result: unknown };

interface RunningTask {
  id: string | undefined;
  /** The server has said so. */
  hasEnded: boolean;
  /** The call has ended, and so does everything that is done for it. */
  readonly over: Cancellation;
}

/** Calls a tool as a task, as in 2025-11-25. One that is cancelled before it has an id is cancelled once it has. */
export function createTask(call: TaskCall, host: TaskHost): PromiseLike<ToolResult> {
  const { name, args, request } = call;
  const { meta, sizes, maxBytes = 0, totalTimeoutMs: ttl } = request;
  const work = call.hold();
  if (call.options.signal?.aborted === true) return work.outcome;
  const givenUp = new Cancellation();
  const options = { maxBytes, signal: givenUp, ...(sizes && { sizes }) };
  const params = { name, arguments: args, task: { ttl } };
  const creating = host
    .request('tools/call', params, { ...options, meta: { ...meta, progressToken: work.progressToken } })
    .then((result): Created => {
      const task = isRecord(result) ? result['task'] : undefined;
      return isRecord(task) ? { task } : { result };
    });
  return run(creating, call, host, work, (error) => givenUp.cancel(error));
}

/** Follows a task that a server of 2026-07-28 has created. */
export function followCreated(task: JsonObject, call: TaskCall, host: TaskHost): PromiseLike<ToolResult> {
  return run(Promise.resolve({ task }), call, host, call.hold(), () => {});
}

/** A task that has not ended is cancelled, however the call fails. `giveUp`: there is none yet, and it is no longer waited for. */
function run(
  creating: Promise<Created>,
  call: TaskCall,
  host: TaskHost,
  work: HeldWork<ToolResult>,
  giveUp: (error: unknown) => void,
): PromiseLike<ToolResult> {
  const task: RunningTask = { id: undefined, hasEnded: false, over: new Cancellation() };
  const following = toItsEnd(creating, call, host, work, task);
  following.then(work.resolve, (error: unknown) => work.reject(failureOf(error, task, host)));
  return work.outcome.then(
    (result) => {
      task.over.cancel();
      return result;
    },
    (error: unknown) => {
      task.over.cancel(error);
      if (task.id === undefined) {
        noteCancelling(following, host);
        setTimeout(giveUp, taskCancelMs, error).unref();
      } else if (!task.hasEnded) cancel(task.id, call, host);
      throw error;
    },
  );
}

async function toItsEnd(
  creating: Promise<Created>,
  call: TaskCall,
  host: TaskHost,
  work: HeldWork<ToolResult>,
  task: RunningTask,
): Promise<ToolResult> {
  const created = await creating;
  const sizes: CallSizes = { sent: undefined, received: undefined, ...call.request.sizes };
  if ('result' in created) return host.toolResult(created.result, sizes);
  const { taskId } = created.task;
  if (!isTaskId(taskId)) throw host.failure('protocol', 'the task that it created has no usable id');
  task.id = taskId;
  if (task.over.aborted) {
    cancel(taskId, call, host);
    throw task.over.reason;
  }
  const received: CallSizes = { sent: undefined, received: undefined };
  const outcome = await followTask(created.task, portOf(taskId, call, host, { work, task, sizes: received }));
  task.hasEnded = outcome.is !== 'expired';
  return resultOf(outcome, call, host, { ...sizes, received: received.received });
}

interface Following {
  readonly work: HeldWork<ToolResult>;
  readonly task: RunningTask;
  readonly sizes: CallSizes;
}

function portOf(taskId: string, call: TaskCall, host: TaskHost, { work, task, sizes }: Following): TaskPort {
  const { maxBytes = 0, timeoutMs = longestPollMs, settings, onProgress } = call.request;
  const { over } = task;
  const about = { meta: host.metaOf(call), sizes, signal: over };
  const forResult: TaskRequestOptions = { ...about, maxBytes, ...(settings && { settings }) };
  const forState: TaskRequestOptions = { ...about, maxBytes: maxBytes + maxTaskStateBytes, timeoutMs: longestPollMs };
  return {
    isModern: host.isModern,
    taskId,
    request: (method, params) =>
      host.request(method, { taskId, ...params }, method === 'tasks/result' ? forResult : forState),
    alive(message) {
      work.extend();
      // The agent gets nothing about a call that it has the end of.
      if (message !== undefined && !over.aborted) onProgress?.({ message });
    },
    ask: (inputRequests) => host.ask(inputRequests, call, over),
    // A server that wants to be asked less often than the call may be silent is asked more often.
    wait: (ms) => wait(Math.min(ms, Math.max(shortestPollMs, timeoutMs / 2)), over),
  };
}

function resultOf(outcome: TaskOutcome, { request }: TaskCall, host: TaskHost, sizes: CallSizes): ToolResult {
  if (outcome.is === 'error') throw host.rpcError(outcome.code, outcome.message);
  if (outcome.is === 'failed') throw outcome.error;
  if (outcome.is !== 'result') throw host.failure(outcome.is === 'expired' ? 'timeout' : 'protocol', outcome.text);
  const { maxBytes = 0, settings } = request;
  const bytes = (sizes.received ?? 0) > maxBytes ? Buffer.byteLength(JSON.stringify(outcome.result) ?? '') : 0;
  if (bytes > maxBytes) throw host.tooLarge(bytes, maxBytes, settings?.bytes);
  const result = host.toolResult(outcome.result, sizes);
  // The agent would answer with another call, which would create another task.
  if (result.isInputRequired) throw host.failure('protocol', 'the result of its task requires input');
  return result;
}

function failureOf(error: unknown, { id }: RunningTask, host: TaskHost): Error {
  // What did not create a task is as with any call.
  if (id === undefined) return error instanceof Error ? error : new Error(String(error));
  const failure = host.sinceCreation(error);
  failure.message = withoutTaskId(failure.message, id);
  return failure;
}

/** Only the end of the connection waits for it. */
function cancel(taskId: string, call: TaskCall, host: TaskHost): void {
  const options = { meta: host.metaOf(call), timeoutMs: taskCancelMs };
  noteCancelling(host.request('tasks/cancel', { taskId }, options), host);
}

function noteCancelling(work: Promise<unknown>, { cancelling }: TaskHost): void {
  const settled = work.then(
    () => {},
    () => {},
  );
  cancelling.add(settled);
  void settled.then(() => cancelling.delete(settled));
}

function wait(ms: number, over: Cancellation): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(over.reason instanceof Error ? over.reason : new Error('the call has ended'));
    };
    // It keeps the process alive: between two requests nothing else may.
    const timer = setTimeout(() => {
      over.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (over.aborted) stop();
    else over.addEventListener('abort', stop);
  });
}
