/** No limit. */
export const never = Number.POSITIVE_INFINITY;

/** When a request runs out of time. */
export interface Deadline {
  readonly since: number;
  /** The longest time without progress, and when it ends. */
  readonly idleMs: number;
  idleEnds: number;
  /** The longest time in all, and when it ends. */
  readonly totalMs: number;
  totalEnds: number;
}

/** The clock of all pending requests of a connection. */
export interface Deadlines<D extends Deadline> {
  watch(deadline: D): void;
  /** The server reported progress: the idle limit restarts, the total limit does not. */
  extend(deadline: D): void;
  /** Stops the clock for everything pending, e.g. while the user thinks. The returned function resumes it. */
  pause(): () => void;
  stop(): void;
}

/**
 * One timer for all: nearly every request is answered long before its limit, and costs no timer then. `pending` lists
 * the deadlines that still count; `expired` is called for each that has passed, with the limit that was exceeded.
 */
export function createDeadlines<D extends Deadline>(
  pending: () => readonly D[],
  expired: (deadline: D, limit: 'idle' | 'total') => void,
): Deadlines<D> {
  let timer: NodeJS.Timeout | undefined;
  let timerEnds = never;
  let pauses = 0;
  let pausedSince = 0;

  function watch({ idleEnds, totalEnds }: Deadline): void {
    const ends = Math.min(idleEnds, totalEnds);
    // While paused nothing expires; resuming watches everything again.
    if (ends >= timerEnds || pauses > 0) return;
    clearTimeout(timer);
    timerEnds = ends;
    timer = setTimeout(expire, Math.max(0, ends - performance.now())).unref();
  }

  function stop(): void {
    clearTimeout(timer);
    timerEnds = never;
  }

  function expire(): void {
    stop();
    // A timer may fire a fraction of a millisecond early.
    const now = performance.now() + 1;
    for (const deadline of pending()) {
      const { idleEnds, totalEnds } = deadline;
      if (totalEnds <= now) expired(deadline, 'total');
      else if (idleEnds <= now) expired(deadline, 'idle');
      else watch(deadline);
    }
  }

  function resume(): void {
    pauses--;
    if (pauses > 0) return;
    const now = performance.now();
    for (const deadline of pending()) {
      deadline.totalEnds += now - Math.max(deadline.since, pausedSince);
      // The server could not continue before now, so its silence so far does not count.
      deadline.idleEnds = now + deadline.idleMs;
      watch(deadline);
    }
  }

  return {
    watch,
    extend(deadline) {
      deadline.idleEnds = performance.now() + deadline.idleMs;
    },
    pause() {
      if (pauses++ === 0) {
        pausedSince = performance.now();
        stop();
      }
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        resume();
      };
    },
    stop,
  };
}
