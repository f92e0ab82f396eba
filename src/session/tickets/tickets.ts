import { readResultOptions } from '../../contract/result-options.js';
import type { ResultOptions, ToolIdentifier } from '../../contract/types.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import type { RpcFailure, RpcNotification, RpcResult } from '../../jsonrpc/messages.js';
import { answerTimeoutMs } from '../../limits.js';
import type { Log } from '../../platform/log.js';
import { bytesOf } from '../../results/held-bytes.js';
import type { KeptResults } from '../../results/kept/kept-results.js';
import { type ToolResult, ValueResult } from '../../results/tool-result.js';
import type { Caller } from '../caller.js';
import { toolIn } from '../fitted-call.js';
import { answer, codeIn } from '../meta-tools/answers.js';
import { resultFor } from '../results-for-agent.js';
import { maxUnattendedCalls, maxUnattendedCallsPerProcess } from './limits.js';
import { answersTo, questionIn, smallValue } from './questions.js';
import { cancelled, hostLost, questionExpired, stillRunning } from './texts.js';
import type { WatchedCall } from './watched-call.js';

/** Calls that were answered with the id of a result that they do not have yet. A part that is loaded for the first of them. */
export interface Tickets {
  /** The limit of a call is reached. It is answered, unless too many go on already. */
  late(call: WatchedCall): void;
  /** What has come back for a call. False if that is the answer to it. */
  takes(call: WatchedCall, message: Response): boolean;
  progressed(call: WatchedCall, message: RpcNotification): void;
  /** The agent cancelled a request. */
  left(call: WatchedCall): void;
  close(): void;
}

export type Response = RpcResult | RpcFailure;

export interface TicketAccess {
  readonly kept: KeptResults;
  readonly log: Log;
  /** Sends a call to where it runs, once more with other parameters. */
  start(call: WatchedCall, caller: Caller, params: JsonObject): void;
  /** Ends it there. Nothing comes back. */
  cancel(call: WatchedCall): void;
  /** Answers it with a result of ours. */
  answer(call: WatchedCall, result: unknown): void;
  /** Answers it with the result that it asks for. `sentAs`: the inner id of the call that has it. */
  pass(call: WatchedCall, message: Response, sentAs?: number): void;
  /** Nobody waits for the result of this call, which is kept. */
  unread(call: WatchedCall): void;
  notify(call: WatchedCall, message: RpcNotification): void;
  /** Its progress is wanted. */
  follow(call: WatchedCall): void;
}

/** A call that goes on, and the requests that wait for it. */
interface Ticket {
  readonly id: string;
  readonly tool: ToolIdentifier;
  readonly call: WatchedCall;
  /** Requests with its id, with the answer that their tool may be used. */
  readonly waiting: Map<WatchedCall, Response>;
  /** What the agent has to answer before it goes on. */
  question?: { readonly result: JsonObject; readonly at: number } | undefined;
  /** Its result is being kept. */
  isOver: boolean;
}

/** The tool of a call may not be used any longer. */
const unusable: ReadonlySet<unknown> = new Set([
  'TOOLBOX_NOT_FOUND',
  'SERVER_NOT_FOUND',
  'TOOL_NOT_FOUND',
  'TOOL_CHANGED',
]);
/** Whether it may be used cannot be said: its server has another entry by now, and has not listed its tools. */
const unjudged: ReadonlySet<unknown> = new Set(['SERVER_STARTING', 'SERVER_UNAVAILABLE']);

interface Refusal {
  readonly code: unknown;
  readonly isCancel: boolean;
}

/** Of all sessions of this process. */
const allTickets = new Set<Ticket>();

export function createTickets(access: TicketAccess): Tickets {
  const { kept, log } = access;
  const tickets = new Map<string, Ticket>();
  /** Calls that go on, and requests that wait for them. */
  const byCall = new Map<WatchedCall, Ticket>();
  let isClosed = false;

  /** The ticket that a request waits for, or reads. */
  function ticketOf(call: WatchedCall, { of }: ResultOptions): Ticket | undefined {
    const ticket = of === undefined ? undefined : tickets.get(of);
    const tool = toolIn(call.request);
    return ticket !== undefined && tool !== undefined && isSame(ticket.tool, tool) ? ticket : undefined;
  }

  function late(call: WatchedCall): void {
    const joined = byCall.get(call);
    // One that is over is answered in a moment.
    if (joined !== undefined) return joined.isOver ? undefined : goOn(call, joined);
    const { options = {}, faults } = readResultOptions(wantedOf(call));
    const tool = toolIn(call.request);
    // A call that is going to be refused.
    if (tool === undefined || faults.length > 0) return;
    if (options.of !== undefined) return lateUnjudged(call, ticketOf(call, options));
    endExpired();
    if (unattended(tickets.values()) >= maxUnattendedCalls) return;
    if (unattended(allTickets) >= maxUnattendedCallsPerProcess) return;
    const ticket: Ticket = { id: kept.reserve(), tool, call, waiting: new Map(), isOver: false };
    tickets.set(ticket.id, ticket);
    byCall.set(call, ticket);
    allTickets.add(ticket);
    goOn(call, ticket);
  }

  /** Whether its tool may still be used is not known yet: its server starts. What the server has said is not shown then. */
  function lateUnjudged(call: WatchedCall, ticket: Ticket | undefined): void {
    if (ticket !== undefined && !ticket.isOver) goOn(call, ticket, { hasProgress: false });
  }

  /** Answers a request: the call that it waits for goes on. */
  function goOn(call: WatchedCall, ticket: Ticket, { hasProgress = true } = {}): void {
    leave(call, ticket);
    const { of: _, cancel: __, ...options } = readResultOptions(wantedOf(call)).options ?? {};
    const { id, tool } = ticket;
    const ms = performance.now() - ticket.call.since;
    const progress = hasProgress ? ticket.call.progress : undefined;
    const text = stillRunning({ tool, next: { of: id, ...options }, ms, progress });
    access.answer(call, ownResult(call, new ValueResult(text)));
  }

  function leave(call: WatchedCall, ticket: Ticket): void {
    if (ticket.waiting.delete(call)) byCall.delete(call);
  }

  /** A request with the id of a call that goes on, whose tool may be used. */
  function join(call: WatchedCall, ticket: Ticket, message: Response): void {
    const { question } = ticket;
    if (question !== undefined && !answersTo(call, question.result)) return access.answer(call, question.result);
    if (question !== undefined) goOnWith(call, ticket);
    if (call.isLate && !ticket.isOver) return goOn(call, ticket);
    // Once more: it may not have been sent anywhere when it was asked for first.
    if (ticket.call.token === undefined && !ticket.isOver) access.follow(ticket.call);
    ticket.waiting.set(call, message);
    byCall.set(call, ticket);
  }

  /** A request with the id of a call, whose tool may not be used, or cannot be judged. False if that is the answer to it. */
  function refused(call: WatchedCall, ticket: Ticket, { code, isCancel }: Refusal): boolean {
    if (ticket.isOver) return false;
    if (unusable.has(code)) stop(ticket);
    if (!unjudged.has(code)) return false;
    if (isCancel) {
      stop(ticket);
      access.answer(call, ownResult(call, new ValueResult(cancelled)));
      return true;
    }
    // After an edit, the server starts only once this call has ended.
    if (code !== 'SERVER_STARTING') return false;
    lateUnjudged(call, ticket);
    return true;
  }

  /** The agent has answered the question. */
  function goOnWith({ request, caller }: WatchedCall, ticket: Ticket): void {
    const { _meta: meta, requestState, inputResponses } = request.params ?? {};
    const { progressToken: _, ..._meta } = isRecord(meta) ? meta : {};
    ticket.question = undefined;
    access.start(ticket.call, caller, { _meta, requestState, inputResponses });
  }

  /** The call has ended, or asks something. */
  function received(ticket: Ticket, message: Response): void {
    const result = 'result' in message ? message.result : failureResult(ticket, message);
    const question = questionIn(ticket.call, result);
    if (question !== undefined) {
      ticket.question = { result: question, at: performance.now() };
      for (const call of ticket.waiting.keys()) {
        leave(call, ticket);
        access.answer(call, question);
      }
      return;
    }
    if (ticket.waiting.size === 0) access.unread(ticket.call);
    void end(ticket, codeIn(smallValue(result)) === 'HOST_LOST' ? failed(ticket, hostLost(ticket.id)) : result);
  }

  function failed({ call }: Ticket, error: Error): PromiseLike<unknown> {
    return answer(log, Promise.reject(error)).then((result) => ownResult(call, result));
  }

  /** Keeps the result. Then it is read as any other, also by those who wait for it. */
  async function end(ticket: Ticket, result: unknown): Promise<void> {
    const { id, tool, call, waiting } = ticket;
    ticket.isOver = true;
    byCall.delete(call);
    const given = await result;
    const pieces = bytesOf(given) ?? [JSON.stringify(given)];
    const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
    const isKept = await kept.keep(tool, bytes, id);
    if (isClosed) return;
    if (!isKept) log.warn(`agent: the result '${id}' could not be kept`);
    forget(ticket);
    for (const [waiter, message] of waiting) {
      leave(waiter, ticket);
      access.pass(waiter, message, call.inner);
    }
  }

  function forget(ticket: Ticket): void {
    tickets.delete(ticket.id);
    byCall.delete(ticket.call);
    allTickets.delete(ticket);
  }

  function stop(ticket: Ticket): void {
    const { call, question } = ticket;
    // A call that waits for an answer is no request; it is taken up again to be cancelled.
    if (question !== undefined) access.start(call, call.caller, { requestState: question.result['requestState'] });
    ticket.question = undefined;
    access.cancel(call);
    void end(ticket, ownResult(call, new ValueResult(cancelled)));
  }

  /** Where it ran, a call was cancelled after the same time. */
  function endExpired(): void {
    const limit = performance.now() - answerTimeoutMs;
    for (const ticket of tickets.values()) {
      if (ticket.question === undefined || ticket.question.at > limit) continue;
      ticket.question = undefined;
      void end(ticket, failed(ticket, questionExpired(ticket.id)));
    }
  }

  return {
    late,
    takes(call, message) {
      const own = byCall.get(call);
      if (own !== undefined) {
        received(own, message);
        return true;
      }
      const wanted = wantedOf(call);
      if ((wanted ?? undefined) === undefined || !('result' in message)) return false;
      endExpired();
      const { options = {} } = readResultOptions(wanted);
      const ticket = ticketOf(call, options);
      const judged = smallValue(message.result);
      if (ticket === undefined || !isRecord(judged)) return false;
      if (judged['isError'] === true)
        return refused(call, ticket, { code: codeIn(judged), isCancel: options.cancel === true });
      if (options.cancel === true && !ticket.isOver) stop(ticket);
      join(call, ticket, message);
      return true;
    },
    progressed(call, message) {
      for (const waiter of byCall.get(call)?.waiting.keys() ?? []) access.notify(waiter, message);
    },
    left(call) {
      const ticket = byCall.get(call);
      if (ticket !== undefined) leave(call, ticket);
    },
    close() {
      isClosed = true;
      for (const ticket of tickets.values()) forget(ticket);
      byCall.clear();
    },
  };
}

function wantedOf({ request: { params = {} } }: WatchedCall): unknown {
  return isRecord(params['arguments']) ? params['arguments']['result'] : undefined;
}

function isSame(one: ToolIdentifier, other: ToolIdentifier): boolean {
  return one.toolbox === other.toolbox && one.server === other.server && one.name === other.name;
}

function unattended(tickets: Iterable<Ticket>): number {
  let count = 0;
  for (const { waiting, isOver } of tickets) if (waiting.size === 0 && !isOver) count++;
  return count;
}

function ownResult({ caller }: WatchedCall, result: ToolResult): unknown {
  return resultFor(caller, result);
}

function failureResult({ call }: Ticket, { error: { message } }: RpcFailure): unknown {
  return ownResult(call, new ValueResult({ content: [{ type: 'text', text: message }], isError: true }));
}
