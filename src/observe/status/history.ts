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
      switch (event.is) {
        case 'session':
        case 'closed':
        case 'server':
          changes.add(event);
          break;
        case 'opened':
        case 'called':
        case 'refused':
          calls.add(event);
      }
    },
    events: () => [...changes.items(), ...calls.items()],
  };
}

interface Ring<T> {
  add(item: T): void;
  /** From old to new. */
  items(): readonly T[];
}

/** The last items. Adding one costs the same however many there are. */
function createRing<T>(size: number): Ring<T> {
  const kept: T[] = [];
  let next = 0;
  return {
    add(item) {
      kept[next] = item;
      next = (next + 1) % size;
    },
    items: () => (kept.length < size ? [...kept] : [...kept.slice(next), ...kept.slice(0, next)]),
  };
}
