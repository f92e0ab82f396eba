/** Runs work one at a time, each in a turn of the event loop of its own. */
export interface Turns {
  /** Resolves when it is the caller's turn: at once if it is free. */
  next(): Promise<void>;
}

export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;

  function pass(): void {
    const next = waiting.shift();
    isTaken = next !== undefined;
    if (next === undefined) return;
    setImmediate(pass);
    next();
  }

  return {
    async next() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      setImmediate(pass);
      return undefined;
    },
  };
}
