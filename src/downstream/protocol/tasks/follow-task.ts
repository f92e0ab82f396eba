import { isRecord, type JsonObject } from '../../../jsonrpc/json.js';
import { longestProgressText } from '../../../limits.js';
import { withoutHidden } from '../../../text/hidden.js';
import { shorten } from '../../../text/shorten.js';
import { longestPollMs, maxLostPolls, shortestPollMs, taskCancelMs } from './limits.js';
import { withoutTaskId } from './task-id.js';

/** What following a task needs of its connection. Failures are thrown as they come: their classes are in another part. */
export interface TaskPort {
  readonly isModern: boolean;
  readonly taskId: string;
  /** Sends a request about the task. */
  request(method: string, params?: JsonObject): Promise<unknown>;
  /** The server works on the task. `message`: what it says about it, if that is new. */
  alive(message: string | undefined): void;
  /** Passes questions to the agent. Returns the answers. */
  ask(inputRequests: JsonObject): Promise<JsonObject>;
  wait(ms: number): Promise<void>;
}

export type TaskOutcome =
  | { readonly is: 'result'; readonly result: unknown }
  | { readonly is: 'error'; readonly code: number; readonly message: string }
  /** As it was thrown. */
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'cancelled' | 'expired'; readonly text: string };

interface TaskState {
  readonly status: string;
  readonly message: string | undefined;
  readonly pollMs: number;
  /** How long the server keeps the task. */
  readonly ttlMs: number;
  readonly given: JsonObject;
}

const internalError = -32_603;
const ends: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);
const lostKinds: ReadonlySet<unknown> = new Set(['lost', 'timeout', 'wait']);
const statuses: ReadonlySet<unknown> = new Set([...ends, 'working', 'input_required']);

/**
 * Follows a task to its end, in either era. In 2025-11-25 `tasks/result` waits for the result, and brings the questions of the
 * server with it; the state is for progress. In 2026-07-28 the state has everything.
 */
export function followTask(created: JsonObject, port: TaskPort): Promise<TaskOutcome> {
  const polling = poll(created, port);
  return port.isModern ? polling : Promise.race([legacyResult(port), polling]);
}

async function poll(created: JsonObject, port: TaskPort): Promise<TaskOutcome> {
  const since = performance.now();
  const asked = new Set<string>();
  // A task that was created has no result yet, whatever its status: only later states do.
  let isPolled = !port.isModern;
  let said: string | undefined;
  let state = stateOf(created, port);

  function note(next: TaskState): void {
    port.alive(next.message === said ? undefined : next.message);
    said = next.message;
    state = next;
  }

  note(state);
  for (;;) {
    if (ends.has(state.status)) {
      if (isPolled) return endOf(state, port);
    } else {
      if (port.isModern && state.status === 'input_required') await answer(state, asked, port);
      const leftMs = since + state.ttlMs - performance.now();
      if (leftMs <= 0 && isPolled) return { is: 'expired', text: expiredText(state) };
      await port.wait(Math.max(shortestPollMs, Math.min(state.pollMs, leftMs)));
    }
    const next = readState(await insist(port, 'tasks/get', {}, state.pollMs), port);
    // What is about another task, or has no status, is ignored: a server that answers so runs into the limits of the call.
    if (next === undefined) continue;
    isPolled = true;
    note(next);
  }
}

/** A server lists a question until it is answered, and may do so longer. */
async function answer({ given, pollMs }: TaskState, asked: Set<string>, port: TaskPort): Promise<void> {
  const { inputRequests } = given;
  const fresh = Object.entries(isRecord(inputRequests) ? inputRequests : {}).filter(([key]) => !asked.has(key));
  if (fresh.length === 0) return;
  for (const [key] of fresh) asked.add(key);
  const inputResponses = await port.ask(Object.fromEntries(fresh));
  await insist(port, 'tasks/update', { inputResponses }, pollMs);
}

async function endOf({ status, message, given }: TaskState, port: TaskPort): Promise<TaskOutcome> {
  const why = message === undefined ? '' : `: ${message}`;
  if (status === 'cancelled') return { is: 'cancelled', text: `the server cancelled its task${why}` };
  if (port.isModern && status === 'completed') return { is: 'result', result: given['result'] };
  // Legacy results come by themselves, also those of tasks that failed.
  if (status === 'completed') return new Promise(() => {});
  if (!port.isModern) await port.wait(taskCancelMs);
  const { code, message: text } = isRecord(given['error']) ? given['error'] : {};
  return {
    is: 'error',
    code: Number.isInteger(code) ? Number(code) : internalError,
    message: withoutTaskId(typeof text === 'string' ? text : `its task failed${why}`, port.taskId),
  };
}

/** The stream with the result may be lost alone: proxies end silent ones. */
async function legacyResult(port: TaskPort): Promise<TaskOutcome> {
  for (;;) {
    try {
      return { is: 'result', result: await port.request('tasks/result') };
    } catch (error) {
      // The answer to the call itself, or that there is no such task.
      if (kindOf(error) === 'protocol') return { is: 'failed', error };
      if (!isLost(error)) throw error;
    }
    await port.wait(shortestPollMs);
  }
}

/** Requests about a task can be repeated: they change nothing, or the same once more. */
async function insist(port: TaskPort, method: string, params: JsonObject, pollMs: number): Promise<unknown> {
  for (let lost = 1; ; lost++) {
    try {
      return await port.request(method, params);
    } catch (error) {
      if (lost === maxLostPolls || !isLost(error)) throw error;
    }
    await port.wait(pollMs);
  }
}

function isLost(error: unknown): boolean {
  return lostKinds.has(kindOf(error));
}

/** Of a DownstreamFailure. */
function kindOf(error: unknown): unknown {
  return error instanceof Error && 'kind' in error ? error.kind : undefined;
}

function readState(value: unknown, port: TaskPort): TaskState | undefined {
  if (!isRecord(value) || value['taskId'] !== port.taskId || !statuses.has(value['status'])) return undefined;
  return stateOf(value, port);
}

function stateOf(given: JsonObject, { isModern, taskId }: TaskPort): TaskState {
  const { status, statusMessage } = given;
  const [pollMs, ttlMs] = isModern ? [given['pollIntervalMs'], given['ttlMs']] : [given['pollInterval'], undefined];
  return {
    status: typeof status === 'string' ? status : 'working',
    message: typeof statusMessage === 'string' ? readable(statusMessage, taskId) : undefined,
    pollMs: typeof pollMs === 'number' ? Math.min(longestPollMs, Math.max(shortestPollMs, pollMs)) : shortestPollMs,
    ttlMs: typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : Number.POSITIVE_INFINITY,
    given,
  };
}

/** Cut first: making millions of characters readable takes seconds. */
function readable(message: string, taskId: string): string | undefined {
  return withoutTaskId(withoutHidden(shorten(message, longestProgressText)), taskId) || undefined;
}

function expiredText({ ttlMs, message }: TaskState): string {
  const last = message === undefined ? '' : ` (last: ${message})`;
  return `its task did not end within the ${ttlMs} ms that the server keeps it${last}`;
}
