/** Calls back after a time without use, once per `start`. Does not keep the process alive. */
export interface IdleTimer {
  /** 0: never. */
  start(idleMs: number): void;
  /** It was used: the time counts from now. */
  refresh(): void;
  stop(): void;
}

export function createIdleTimer(onIdle: () => void): IdleTimer {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    start(idleMs) {
      stop();
      if (idleMs > 0) timer = setTimeout(onIdle, idleMs).unref();
    },
    refresh: () => void timer?.refresh(),
    stop,
  };
}
