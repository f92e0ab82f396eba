import type { CancelSignal } from '../jsonrpc/cancellation.js';
import { signOfLifeMs } from '../limits.js';
import type { Progress } from '../workbench/ports/downstream.js';

/** Clients get numbers that rise; those of the server still do after one of ours. */
const step = 1e-6;

const signOfLife = (ms: number) => `running for ${Math.round(ms / 1_000)} s`;

/** Whether the text of a progress notification is one of ours, as far as its form shows. */
export function isSignOfLife(text: string): boolean {
  return /^running for \d+ s$/.test(text);
}

/** The progress of a session's requests that came with a progress token. */
export interface ProgressReports {
  /** Reports of one request go through the returned function. Until `end`, an agent that has got none for a while gets one of ours. */
  begin(call: CancelSignal, send: (progress: Progress) => void): (progress: Progress) => void;
  end(call: CancelSignal): void;
}

interface Reported {
  readonly since: number;
  /** When the agent got the last one, and what it was. */
  at: number;
  progress: number;
  total: number | undefined;
  readonly send: (progress: Progress) => void;
}

/** Some clients wait for a call only as long as there is progress. One timer for all, while there are any. */
export function createProgressReports(): ProgressReports {
  const running = new Map<CancelSignal, Reported>();
  let timer: NodeJS.Timeout | undefined;

  function report(call: Reported, given: Progress): void {
    call.at = performance.now();
    if (given.progress === undefined) {
      call.progress += Math.max(step, Math.abs(call.progress) * Number.EPSILON);
      const { progress, total } = call;
      call.send({ progress, ...(total !== undefined && { total }), ...given });
    } else {
      call.progress = given.progress;
      call.total = given.total;
      call.send(given);
    }
  }

  function arm(delayMs: number): void {
    timer = setTimeout(showLife, delayMs).unref();
  }

  function showLife(): void {
    // A timer may fire a fraction of a millisecond early.
    const now = performance.now() + 1;
    let nextMs = signOfLifeMs;
    for (const [signal, call] of running) {
      const leftMs = call.at + signOfLifeMs - now;
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
      else if (!signal.aborted) report(call, { message: signOfLife(now - call.since) });
    }
    arm(nextMs);
  }

  return {
    begin(signal, send) {
      const now = performance.now();
      const call: Reported = { since: now, at: now, progress: 0, total: undefined, send };
      running.set(signal, call);
      if (running.size === 1) arm(signOfLifeMs);
      return (progress) => report(call, progress);
    },
    end(signal) {
      if (running.delete(signal) && running.size === 0) clearTimeout(timer);
    },
  };
}
