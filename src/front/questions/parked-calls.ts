import { WorkbenchError } from '../../contract/errors.js';
import type { CancelSignal } from '../../jsonrpc/cancellation.js';
import { isRecord } from '../../jsonrpc/json.js';
import { crypto } from '../../platform/crypto.js';
import type { Agent, Question } from '../../workbench/ports/agent.js';
import { DownstreamFailure, type Progress } from '../../workbench/ports/downstream.js';

/** Where a call stands: it has ended, or it waits for answers. */
export type Step<R> =
  | { readonly is: 'ended'; readonly result: R }
  | { readonly is: 'waiting'; readonly id: string; readonly questions: Readonly<Record<string, Question>> };

/**
 * Calls that wait for an agent of 2026-07-28 to come back with answers. Such an agent cannot be asked in the middle of
 * a request: the request is answered with the questions, and the call to the server, which knows nothing of this,
 * stays open until a later request brings the answers, or until nobody has come for too long.
 */
export interface ParkedCalls<R> {
  /** Starts a call and follows it until it ends or asks something. */
  start(run: RunCall<R>, agent: Agent, follower: Follower): Promise<Step<R>>;
  /** Brings answers and follows the call further. Undefined: no such call waits (any more). */
  resume(id: string, answers: Readonly<Record<string, unknown>>, follower: Follower): Promise<Step<R>> | undefined;
  /** Cancels every call that waits: the agent has gone. */
  close(): void;
}

/** The request that waits for the call at the moment. */
export interface Follower {
  readonly signal: CancelSignal;
  readonly onProgress: (progress: Progress) => void;
}

export type RunCall<R> = (agent: Agent, follower: Follower) => Promise<R>;

interface OpenQuestion {
  readonly question: Question;
  readonly answer: (value: Readonly<Record<string, unknown>>) => void;
}

interface Call<R> {
  readonly id: string;
  readonly abort: AbortController;
  readonly result: Promise<R>;
  readonly open: Map<string, OpenQuestion>;
  /** Called when a question comes in. */
  onQuestion: () => void;
  follower: Follower | undefined;
}

/** `R`: what a call ends with; nothing here looks into it. */
export function createParkedCalls<R extends object>(
  waitMs: number,
  mostCalls: number,
  onExpired: () => void,
): ParkedCalls<R> {
  const parked = new Map<string, { readonly call: Call<R>; readonly timer: NodeJS.Timeout }>();

  function begin(run: RunCall<R>, caller: Agent): Call<R> {
    const abort = new AbortController();
    const over = new AbortController();
    const open = new Map<string, OpenQuestion>();
    let asked = 0;
    const agent: Agent = {
      ...caller,
      ask: (question, signal) =>
        new Promise((resolve, reject) => {
          // Nobody comes back for a call that has ended.
          const withdrawn = AbortSignal.any([signal, over.signal]);
          const key = `question-${++asked}`;
          const withdraw = () => {
            open.delete(key);
            reject(new DownstreamFailure('cancelled', 'nobody can be asked any more: the call has ended'));
          };
          const answer = (value: Readonly<Record<string, unknown>>) => {
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
    const onProgress = (progress: Progress) => call.follower?.onProgress(progress);
    const result = Promise.resolve().then(() => run(agent, { signal: abort.signal, onProgress }));
    const call: Call<R> = { id: crypto().randomUUID(), abort, result, open, onQuestion: () => {}, follower: undefined };
    // Whoever follows the call sees its failure; while nobody does, it is no unhandled one.
    call.result.catch(() => {}).finally(() => over.abort());
    return call;
  }

  async function follow(call: Call<R>, follower: Follower): Promise<Step<R>> {
    const { signal } = follower;
    call.follower = follower;
    const cancel = () => call.abort.abort(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const asks = new Promise<undefined>((resolve) => {
        call.onQuestion = () => resolve(undefined);
        if (call.open.size > 0) resolve(undefined);
      });
      const result = await Promise.race([call.result, asks]);
      if (result !== undefined) return { is: 'ended', result };
      return park(call);
    } finally {
      call.follower = undefined;
      signal.removeEventListener('abort', cancel);
    }
  }

  function park(call: Call<R>): Step<R> {
    if (parked.size >= mostCalls) {
      call.abort.abort(new DownstreamFailure('busy', 'too many calls wait for answers already'));
      throw new WorkbenchError('SERVER_BUSY', 'Too many calls wait for answers already', {
        hint: 'Answer or drop some of them first.',
      });
    }
    const timer = setTimeout(() => {
      parked.delete(call.id);
      onExpired();
      call.abort.abort(new DownstreamFailure('timeout', `nobody answered its question within ${waitMs} ms`));
    }, waitMs);
    timer.unref();
    parked.set(call.id, { call, timer });
    const questions = Object.fromEntries([...call.open].map(([key, { question }]) => [key, question]));
    return { is: 'waiting', id: call.id, questions };
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
    close() {
      for (const { call, timer } of parked.values()) {
        clearTimeout(timer);
        call.abort.abort(new DownstreamFailure('cancelled', 'the agent has disconnected'));
      }
      parked.clear();
    },
  };
}
