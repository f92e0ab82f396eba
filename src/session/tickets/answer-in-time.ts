import { messageOf } from '../../contract/errors.js';
import { InFlight } from '../../jsonrpc/in-flight.js';
import type { JsonObject } from '../../jsonrpc/json.js';
import type {
  RequestId,
  RpcFailure,
  RpcMessage,
  RpcNotification,
  RpcRequest,
  RpcResult,
} from '../../jsonrpc/messages.js';
import { loadPart } from '../../platform/load-part.js';
import type { Log } from '../../platform/log.js';
import type { Caller } from '../caller.js';
import type { Calls } from '../conversation.js';
import type { Fitting } from '../fit-results.js';
import { isSignOfLife } from '../progress.js';
import { type AgentOutput, withSend } from '../transport.js';
import type { Tickets } from './tickets.js';
import { innerRequest, tokenOf, type WatchedCall, waitLimit } from './watched-call.js';

/** Clients count their ids from zero. */
const firstInnerId = 2_013_265_920;
const innerIds = 100_000_000;
/** An agent that uses such an id itself gets another one, too. */
const isInnerId = (id: RequestId) => typeof id === 'number' && id >= firstInnerId && id <= firstInnerId + innerIds;
/** How long before the limit the progress of a call is asked for: it has to arrive before the answer. */
const leadOf = (limitMs: number) => Math.min(1_000, limitMs / 4);

export interface InTimePlace {
  /** The setting `answerWithinMs`. */
  readonly limitMs: () => number | undefined;
  readonly log: Log;
}

/**
 * Answers calls before their client gives up, with the id of the result that they will have. Calls of other clients pass
 * through. One timer for all calls, which is not set again for each of them.
 */
export function answerInTime(fitting: Fitting, { limitMs, log }: InTimePlace): Fitting {
  /** By their inner ids: calls that have not ended where they run. */
  const running = new InFlight<WatchedCall>();
  /** By the agent's ids. */
  const unanswered = new InFlight<WatchedCall>();
  let count = 0;
  let below: Calls | undefined;
  let tickets: Tickets | undefined;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let isClosed = false;

  function begin(request: RpcRequest, caller: Caller, limit: number, line: Buffer | undefined): void {
    const since = performance.now();
    const token = tokenOf(request);
    const call: WatchedCall = {
      request,
      caller,
      token,
      since,
      limitMs: limit,
      inner: 0,
      followed: undefined,
      isLate: false,
      progress: undefined,
    };
    unanswered.set(request.id, call);
    arm(since + limit - leadOf(limit));
    start(call, caller, undefined, line);
  }

  function start(call: WatchedCall, caller: Caller, more?: JsonObject, line?: Buffer): void {
    count = (count + 1) % innerIds;
    call.inner = firstInnerId + count;
    running.set(call.inner, call);
    // Who reads the line takes the id from here.
    below?.start(innerRequest(call, more), caller, line);
    if (more !== undefined) follow(call);
  }

  /** Its progress is wanted for the answer. */
  function follow(call: WatchedCall): void {
    call.followed ??= `mcp-workbench/${call.inner}`;
    below?.follow?.(call.inner, call.followed);
  }

  function cancel(call: WatchedCall): void {
    running.delete(call.inner);
    below?.cancel(call.inner);
  }

  function arm(at: number): void {
    if (at >= timerAt || isClosed) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(checkLimits, at - performance.now()).unref();
  }

  function checkLimits(): void {
    timerAt = Number.POSITIVE_INFINITY;
    // A timer may fire a fraction of a millisecond early.
    const now = performance.now() + 1;
    for (const call of unanswered.values()) {
      const at = call.since + call.limitMs;
      const lead = leadOf(call.limitMs);
      if (call.isLate) continue;
      if (at <= now) void late(call);
      else if (at - lead > now) arm(at - lead);
      else {
        if (call.token === undefined && call.followed === undefined) follow(call);
        arm(at);
      }
    }
  }

  async function late(call: WatchedCall): Promise<void> {
    call.isLate = true;
    try {
      const loaded = tickets ?? (await load());
      // It may have been answered or cancelled by now.
      if (unanswered.get(call.request.id) === call) loaded.late(call);
    } catch (error) {
      log.error(`agent: a call could not be answered in time: ${messageOf(error)}`);
    }
  }

  async function load(): Promise<Tickets> {
    const [{ createTickets }, kept] = await Promise.all([loadPart(() => import('./tickets.js')), fitting.kept()]);
    tickets ??= createTickets({ kept, log, start, cancel, answer, pass, unread, notify, follow });
    if (isClosed) tickets.close();
    return tickets;
  }

  /** A result of ours, which is sent as it is. */
  function answer(call: WatchedCall, result: unknown): void {
    if (take(call)) fitting.sendUnfitted({ jsonrpc: '2.0', id: call.request.id, result });
  }

  /** `sentAs`: the inner id of the call whose result it is. */
  function pass(call: WatchedCall, message: RpcResult | RpcFailure, sentAs = call.inner): void {
    if (take(call)) fitting.answer({ ...message, id: call.request.id }, sentAs);
  }

  function unread(call: WatchedCall): void {
    below?.shown?.(call.inner, 0);
  }

  /** False if the agent waits for it no longer. */
  function take(call: WatchedCall): boolean {
    const { id } = call.request;
    if (unanswered.get(id) !== call) return false;
    unanswered.delete(id);
    return true;
  }

  function received(call: WatchedCall, message: RpcResult | RpcFailure): void {
    running.delete(call.inner);
    // From here on it has an answer, whatever the time.
    if (tickets?.takes(call, message) !== true) pass(call, message);
  }

  function progressed(call: WatchedCall, message: RpcNotification): void {
    const text = message.params?.['message'];
    if (typeof text === 'string' && !isSignOfLife(text)) call.progress = text;
    if (unanswered.get(call.request.id) === call) notify(call, message);
    else tickets?.progressed(call, message);
  }

  function notify({ token, request }: WatchedCall, message: RpcNotification): void {
    if (token !== undefined)
      fitting.output.send({ ...message, params: { ...message.params, progressToken: token } }, request.id);
  }

  function send(message: RpcMessage, inReplyTo: Parameters<AgentOutput['send']>[1]): void {
    if (!('method' in message)) {
      const call = running.get(message.id);
      if (call === undefined) fitting.output.send(message, inReplyTo);
      else received(call, message);
      return;
    }
    // Not by its token: once a call is answered, the agent may use that for another.
    const call = running.get(inReplyTo);
    if (call !== undefined && message.method === 'notifications/progress') progressed(call, message);
    else fitting.output.send(message, call?.request.id ?? inReplyTo);
  }

  return {
    ...fitting,
    output: withSend(fitting.output, send),
    around(calls) {
      below = calls;
      return fitting.around({
        ...calls,
        start(request, caller, line) {
          const limit = waitLimit(request, caller, limitMs());
          if (limit !== undefined) begin(request, caller, limit, line);
          else if (isInnerId(request.id)) begin(request, caller, Number.POSITIVE_INFINITY, line);
          else calls.start(request, caller, line);
        },
        cancel(requestId) {
          const call = unanswered.get(requestId);
          if (call === undefined) return calls.cancel(requestId);
          unanswered.delete(requestId);
          tickets?.left(call);
          cancel(call);
        },
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      tickets?.close();
      await fitting.close();
    },
  };
}
