/** `unref`: does not keep the program alive. */
export function pause(ms: number, { unref = false } = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (unref) timer.unref();
  });
}

/** Polls the condition until it holds or the time is over. Returns whether it holds. */
export async function holdsWithin(ms: number, condition: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    if (await condition()) return true;
    await pause(25);
  }
  return condition();
}
