/** Other servers and the agent are served between two slices: long enough to be efficient, short enough for others not to notice. */
export const sliceMs = 5;

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Work in slices. Await it between steps, none of which may take long: it lets others run once a slice is over. */
export interface Slices {
  isOver(): boolean;
  /** Resolves in a later turn of the event loop, when a new slice begins. */
  next(): Promise<void>;
}

export function inSlices(): Slices {
  let ends = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= ends,
    async next() {
      await nextTurn();
      ends = performance.now() + sliceMs;
    },
  };
}

/** Maps in slices. */
export async function mapInSlices<T, R>(items: Iterable<T>, map: (item: T, index: number) => R): Promise<R[]> {
  const slices = inSlices();
  const mapped: R[] = [];
  for (const item of items) {
    if (slices.isOver()) await slices.next();
    mapped.push(map(item, mapped.length));
  }
  return mapped;
}

/** Work that may be interrupted at each `yield`, so that the same code can be run at once or in slices. */
export type Work<T> = Generator<void, T, void>;

export async function runInSlices<T>(work: Work<T>): Promise<T> {
  const slices = inSlices();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (slices.isOver()) await slices.next();
  }
}

export function runAtOnce<T>(work: Work<T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}
