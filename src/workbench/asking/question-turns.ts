import type { Agent } from '../ports/agent.js';
import type { Asker } from './asked-question.js';

// By session, whichever call of it a question belongs to.
const sessions = new WeakMap<Agent['gone'], Map<string, Promise<unknown>>>();

/** Asks when the server's questions before are over: a user gets one at a time, also if several calls ask, in either era. */
export function inTurn<T>(
  { gone }: Agent,
  { toolbox, server }: Asker,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  const turns = sessions.get(gone) ?? new Map<string, Promise<unknown>>();
  sessions.set(gone, turns);
  const key = JSON.stringify([toolbox, server]);
  const before = turns.get(key) ?? Promise.resolve();
  const asked = settledOrAborted(before, signal).then(() => {
    signal.throwIfAborted();
    return ask();
  });
  turns.set(key, Promise.allSettled([before, asked]));
  return asked;
}

function settledOrAborted(before: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    void before.then(() => resolve());
  });
}
