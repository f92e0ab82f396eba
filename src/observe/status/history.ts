import { maxPastCalls, maxPastChanges, type StatusEvent } from './protocol.js';

/** What happened in this process, in memory only: for a client that begins to watch later. */
export interface History {
  add(event: StatusEvent): void;
  /** First the changes of servers and sessions, then the calls, each from old to new. */
  events(): readonly StatusEvent[];
}

export function createHistory(): History {
  // Apart: many calls must not displace the starts of servers.
  const changes = createRing<StatusEvent>(maxPastChanges);
  const calls = createRing<StatusEvent>(maxPastCalls);
  return {
    add(event) {
      const isCall = event.is === 'opened' || event.is === 'called' || event.is === 'refused';
      (isCall ? calls : changes).add(event);
    },
    events: () => [...changes.items(), ...calls.items()],
  };
}

/** The last items. Adding one costs the same however many there are. */
function createRing<T>(size: number) {
  const kept: T[] = [];
  let next = 0;
  return {
    add(item: T): void {
      kept[next] = item;
      next = (next + 1) % size;
    },
    /** From old to new. */
    items: () => (kept.length < size ? [...kept] : [...kept.slice(next), ...kept.slice(0, next)]),
  };
}
