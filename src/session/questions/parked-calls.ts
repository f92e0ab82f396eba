import { DownstreamFailure } from '../../contract/downstream-failure.js';
import { WorkbenchError } from '../../contract/errors.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { InFlight } from '../../jsonrpc/in-flight.js';
import { isRecord, type JsonObject } from '../../jsonrpc/json.js';
import { crypto } from '../../platform/crypto.js';
import { OnlyDuringCalls } from '../../workbench/asking/only-during-calls.js';
import type { Agent, Question } from '../../workbench/ports/agent.js';
import type { Progress } from '../../workbench/ports/downstream.js';
import type { CallHandle } from '../../workbench/ports/running-calls.js';
import { type CallsInFlight, RunningCall } from '../running/running-calls.js';

/** The state of a call: it has ended, or it waits for answers. */
export type Step<R> =
  | { readonly is: 'ended'; readonly result: R }
  | {
      readonly is: 'waiting';
      readonly id: string;
      readonly questions: Readonly<Record<string, object>>;
      /** Whether the workbench itself asks about the call. */
      readonly isOwn: boolean;
    };

/**
 * Calls that wait for answers from an agent of 2026-07-28. Such an agent cannot be asked during a request: the response
 * to the request is the questions, and the call to the server stays in flight until a later request brings the answers
 * or the timeout expires.
 */
export interface ParkedCalls<R> {
  /** Starts a call and follows it until it ends or asks something. */
  start(run: RunCall<R>, agent: Agent, follower: Follower): Promise<Step<R>>;
  /** Passes on answers and follows the call further. Undefined if no such call is waiting. */
  resume(id: string, answers: JsonObject, follower: Follower): Promise<Step<R>> | undefined;
  /** Cancels a waiting call. */
  cancel(id: string): void;
  /** Cancels every waiting call: the agent has disconnected. */
  close(): void;
}

/** The request that currently waits for the call. */
export interface Follower {
  readonly signal: CancelSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Gets the number of the call. */
  readonly handle?: CallHandle | undefined;
}

export type RunCall<R> = (agent: Agent, follower: Follower) => Promise<R>;

interface OpenQuestion {
  readonly question: Question;
  readonly answer: (value: JsonObject) => void;
}

interface Call<R> {
  readonly id: string;
  readonly running: RunningCall;
  readonly result: Promise<R>;
  readonly open: Map<string, OpenQuestion>;
  /** Called when the server asks a question. */
  onQuestion: () => void;
  follower: Follower | undefined;
}

/** `R`: the result of a call, opaque here. `inFlight`: the calls of the session. */
export function createParkedCalls<R extends object>(
  waitMs: number,
  maxCalls: number,
  onExpired: () => void,
  inFlight: CallsInFlight = new InFlight(),
): ParkedCalls<R> {
  const parked = new Map<string, { readonly call: Call<R>; readonly timer: NodeJS.Timeout }>();

  function begin(run: RunCall<R>, caller: Agent): Call<R> {
    const running = new RunningCall(inFlight, caller.client);
    const over = new AbortController();
    const open = new Map<string, OpenQuestion>();
    let asked = 0;
    const agent: Agent = {
      ...caller,
      isAskedByResult: true,
      ask: (question, signal) =>
        new Promise((resolve, reject) => {
          // The questions of an ended call can never be answered.
          const withdrawn = AbortSignal.any([signal, over.signal]);
          const key = `question-${++asked}`;
          const withdraw = () => {
            open.delete(key);
            const text = 'the question was withdrawn: the call has ended';
            reject(over.signal.aborted ? new OnlyDuringCalls(text) : new DownstreamFailure('cancelled', text));
          };
          const answer = (value: JsonObject) => {
            open.delete(key);
            withdrawn.removeEventListener('abort', withdraw);
            resolve(value);
          };
          if (withdrawn.aborted) return withdraw();
          open.set(key, { question, answer });
          withdrawn.addEventListener('abort', withdraw, { once: true });
          call.onQuestion();
        }),
    };
    const onProgress = (progress: Progress) => {
      running.progress = progress;
      call.follower?.onProgress(progress);
    };
    const result = Promise.resolve().then(() => run(agent, { signal: running, handle: running, onProgress }));
    const call: Call<R> = {
      id: crypto().randomUUID(),
      running,
      result,
      open,
      onQuestion: () => {},
      follower: undefined,
    };
    // The follower sees a rejection; without a follower it must not count as unhandled.
    call.result
      .catch(() => {})
      .finally(() => {
        running.ended();
        over.abort();
      });
    return call;
  }

  async function follow(call: Call<R>, follower: Follower): Promise<Step<R>> {
    const { signal } = follower;
    call.follower = follower;
    const cancel = () => call.running.cancel(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const asks = new Promise<undefined>((resolve) => {
        call.onQuestion = () => resolve(undefined);
        if (call.open.size > 0) resolve(undefined);
      });
      const result = await Promise.race([call.result, asks]);
      if (result !== undefined) return { is: 'ended', result };
      // Cancelled while it asked: there will be no answer.
      return call.running.aborted ? { is: 'ended', result: await call.result } : park(call);
    } finally {
      call.follower = undefined;
      follower.handle?.answersWith(call.running.reported);
      signal.removeEventListener('abort', cancel);
    }
  }

  function park(call: Call<R>): Step<R> {
    if (parked.size >= maxCalls) {
      call.running.cancel(new DownstreamFailure('busy', 'too many calls are waiting for answers'));
      throw new WorkbenchError('SERVER_BUSY', 'Too many calls are waiting for answers', {
        hint: 'Answer or cancel some of them, then retry this call.',
      });
    }
    const timer = setTimeout(() => {
      parked.delete(call.id);
      onExpired();
      call.running.cancel(new DownstreamFailure('timeout', `its question was not answered within ${waitMs} ms`));
    }, waitMs);
    timer.unref();
    parked.set(call.id, { call, timer });
    const open = [...call.open].map(([key, { question }]) => [key, question] as const);
    const questions = Object.fromEntries(open.map(([key, { method, params }]) => [key, { method, params }]));
    return { is: 'waiting', id: call.id, questions, isOwn: open.some(([, { isOwn }]) => isOwn) };
  }

  function end(id: string, why: string): void {
    const found = parked.get(id);
    if (found === undefined) return;
    clearTimeout(found.timer);
    parked.delete(id);
    found.call.running.cancel(new DownstreamFailure('cancelled', why));
  }

  return {
    start: (run, agent, follower) => follow(begin(run, agent), follower),
    resume(id, answers, follower) {
      const found = parked.get(id);
      if (found === undefined) return undefined;
      clearTimeout(found.timer);
      parked.delete(id);
      for (const [key, { answer }] of found.call.open) {
        const value = Object.hasOwn(answers, key) ? answers[key] : undefined;
        if (isRecord(value)) answer(value);
      }
      return follow(found.call, follower);
    },
    cancel: (id) => end(id, 'the call was replaced by another'),
    close() {
      for (const id of parked.keys()) end(id, 'the agent has disconnected');
    },
  };
}
