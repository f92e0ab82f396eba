/** Something that has to be looked at now and then. */
export interface Ticking {
  tick(now: number): void;
}

/** One timer for all open requests, while there are any. */
export interface Ticks {
  add(one: Ticking): void;
  delete(one: Ticking): void;
  close(): void;
}

export function createTicks(everyMs: number): Ticks {
  const all = new Set<Ticking>();
  let timer: NodeJS.Timeout | undefined;

  function tick(): void {
    const now = performance.now();
    for (const one of all) one.tick(now);
    if (all.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    add(one) {
      all.add(one);
      timer ??= setInterval(tick, everyMs).unref();
    },
    delete: (one) => void all.delete(one),
    close: () => clearInterval(timer),
  };
}
