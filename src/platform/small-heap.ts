/** Not during a start: the module alone takes a few milliseconds to load. */
const delayMs = 1_000;

/**
 * Keeps V8 from growing the young generation of the heap, which it does under load and hardly takes back. Most of the memory of
 * a process that serves calls is that, and what calls leave is garbage at once, so that it saves no time.
 */
export function keepHeapSmall(): void {
  const set = async () => (await import('node:v8')).setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => void set(), delayMs).unref();
}
