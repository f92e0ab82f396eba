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
      if (event.is === 'shown') {
        calls.replaceLast((known) => (isCallOf(event, known) ? { ...known, shown: event.chars } : undefined));
        return;
      }
      const isCall = event.is === 'opened' || event.is === 'called' || event.is === 'refused';
      (isCall ? calls : changes).add(event);
    },
    events: () => [...changes.items(), ...calls.items()],
  };
}

/** Numbers of calls count up in their process. */
function isCallOf({ call }: StatusEvent & { is: 'shown' }, known: StatusEvent): known is CallEvent {
  return known.is === 'called' && known.call === call;
}

type CallEvent = Extract<StatusEvent, { readonly at: number }>;

/** The last items. Adding one costs the same however many there are. */
function createRing<T>(size: number) {
  const kept: T[] = [];
  let next = 0;
  return {
    add(item: T): void {
      kept[next] = item;
      next = (next + 1) % size;
    },
    /** Replaces the newest of those for which there is another. */
    replaceLast(other: (item: T) => T | undefined): void {
      for (let back = 1; back <= kept.length; back++) {
        const at = (next - back + size) % size;
        const item = kept[at];
        const replacement = item === undefined ? undefined : other(item);
        if (replacement === undefined) continue;
        kept[at] = replacement;
        return;
      }
    },
    /** From old to new. */
    items: () => (kept.length < size ? [...kept] : [...kept.slice(next), ...kept.slice(0, next)]),
  };
}
