import { setTimeout as wait } from 'node:timers/promises';

/** Polls until the result is neither undefined nor false, and returns it. An exception counts as no result yet. */
export async function until<T>(
  question: () => T | undefined | false | Promise<T | undefined | false>,
  { withinMs = 30_000, what = 'the expected state' }: { withinMs?: number; what?: string } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  let lastError: unknown;
  for (;;) {
    try {
      const answer = await question();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${withinMs} ms`, { cause: lastError });
    await wait(20);
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
