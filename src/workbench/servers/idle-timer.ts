/** Calls back after a time without use, once per `start`. Does not keep the process alive. */
export interface IdleTimer {
  /** 0: never. */
  start(idleMs: number): void;
  /** A use has ended: the time counts from now. */
  refresh(): void;
  stop(): void;
}

/** `isUsed`: whether it is being used, for however long. */
export function createIdleTimer(isUsed: () => boolean, onIdle: () => void): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  let lastUse = 0;

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  /** The timer of a use is not moved with the next one, which would cost more: it is set again for the rest when it fires. */
  function wait(idleMs: number, restMs: number): void {
    const check = () => {
      const leftMs = isUsed() ? idleMs : lastUse + idleMs - performance.now();
      // A timer may fire a fraction of a millisecond early.
      if (leftMs > 1) wait(idleMs, leftMs);
      else onIdle();
    };
    timer = setTimeout(check, restMs).unref();
  }

  return {
    start(idleMs) {
      stop();
      lastUse = performance.now();
      if (idleMs > 0) wait(idleMs, idleMs);
    },
    refresh() {
      lastUse = performance.now();
    },
    stop,
  };
}
