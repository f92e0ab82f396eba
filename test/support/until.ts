import { setTimeout as wait } from 'node:timers/promises';

/**
 * Polls until the result is neither undefined nor false, and returns it. An exception counts as no result yet. Polls less often for what
 * takes long: to look for processes takes milliseconds each time.
 */
export async function until<T>(
  question: () => T | undefined | false | Promise<T | undefined | false>,
  { withinMs = 30_000, what = 'the expected state' }: { withinMs?: number; what?: string } = {},
): Promise<T> {
  const begun = Date.now();
  const deadline = begun + withinMs;
  let lastError: unknown;
  for (;;) {
    try {
      const answer = await question();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${withinMs} ms`, { cause: lastError });
    await wait(Math.min(50, Math.max(20, (Date.now() - begun) / 10)));
  }
}

/** Repeats assertions until they hold: for what is true soon, or what a busy machine may hide for a moment. */
export async function untilHolds(assertions: () => void | Promise<void>, what = 'what is expected'): Promise<void> {
  await until(
    async () => {
      await assertions();
      return true;
    },
    { what },
  );
}
