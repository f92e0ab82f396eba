const rounds = { least: 3, most: 20 };

/** Between linear and quadratic. */
export const superlinear = 50;

/**
 * How many times as long work takes for ten times as much of its input: about ten times if it is linear, a hundred times if
 * it is quadratic. In time of the processor, in turns and the least of several rounds, so that a busy machine makes no difference: noise
 * only adds, and more rounds are made while the work looks superlinear.
 */
export function growth<T>(size: number, inputOf: (size: number) => T, work: (input: T) => unknown): number {
  const [small, large] = [inputOf(size), inputOf(10 * size)];
  let [leastSmall, leastLarge] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const ratio = () => leastLarge / Math.max(1, leastSmall);
  for (let round = 0; round < rounds.most && (round < rounds.least || ratio() >= superlinear); round++) {
    // Ten times, so that both take about as long if the work is linear.
    const tenSmall = cpuOf(() => {
      for (let time = 0; time < 10; time++) work(small);
    });
    leastSmall = Math.min(leastSmall, tenSmall / 10);
    leastLarge = Math.min(
      leastLarge,
      cpuOf(() => work(large)),
    );
  }
  return ratio();
}

/** In microseconds. */
function cpuOf(work: () => unknown): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return user + system;
}
