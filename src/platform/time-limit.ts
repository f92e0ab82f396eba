/** The result of `work`, or undefined if it takes longer than the limit. The work itself continues. */
export async function resultWithin<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  // A timer would take it for 1 ms.
  if (limitMs === Infinity) return work;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** Whether `work` ends within the limit, successfully or not. */
export async function settlesWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return (await resultWithin(limitMs, settled)) ?? false;
}
