import { setTimeout as pause } from 'node:timers/promises';

export { pause };

/** Waits until `condition` holds. Resolves to whether it did in time. */
export async function until(condition, limitMs, everyMs = 50) {
  for (const end = performance.now() + limitMs; performance.now() < end; await pause(everyMs)) {
    if (await condition()) return true;
  }
  return Boolean(await condition());
}
