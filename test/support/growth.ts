const rounds = 5;

/** Between linear and quadratic. */
export const superlinear = 50;

/**
 * How many times as long work takes for ten times as much of its input: about ten times if it is linear, a hundred times if
 * it is quadratic. The fastest of several rounds, so that a busy machine makes no difference.
 */
export function growth<T>(size: number, inputOf: (size: number) => T, work: (input: T) => unknown): number {
  const fastest = (input: T) => Math.min(...Array.from({ length: rounds }, () => msOf(() => work(input))));
  return fastest(inputOf(10 * size)) / fastest(inputOf(size));
}

function msOf(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}
