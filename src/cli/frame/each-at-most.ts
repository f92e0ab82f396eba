/** More servers at once would slow each other down, and some would seem not to be well. */
const mostAtOnce = 8;

/** Does something with each server, some at a time. The results are in the order given. */
export async function eachAtMost<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Map<number, R>();
  const waiting = [...items.entries()];
  async function take(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      signal.throwIfAborted();
      const [index, item] = next;
      results.set(index, await work(item));
    }
  }
  const works = await Promise.allSettled(Array.from({ length: mostAtOnce }, take));
  for (const one of works) if (one.status === 'rejected') throw one.reason;
  return [...results].toSorted(([one], [other]) => one - other).map(([, result]) => result);
}
