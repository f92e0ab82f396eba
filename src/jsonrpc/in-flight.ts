import type { RequestId } from './messages.js';

/**
 * What is on its way, by its id. A Map that is filled and emptied all the time makes new tables all the time, and an old
 * table keeps what was in it until the next full collection of garbage; under load that is megabytes. An object does not.
 */
export class InFlight<V> {
  // No name of what every object has begins as the keys for texts do.
  readonly #entries: Record<RequestId, V> = {};

  has(id: unknown): boolean {
    return isKey(id) && keyOf(id) in this.#entries;
  }

  get(id: unknown): V | undefined {
    return isKey(id) ? this.#entries[keyOf(id)] : undefined;
  }

  set(id: RequestId, value: V): void {
    this.#entries[keyOf(id)] = value;
  }

  delete(id: unknown): void {
    if (isKey(id)) delete this.#entries[keyOf(id)];
  }

  /** As they are now: they may be deleted meanwhile. */
  values(): V[] {
    return Object.values(this.#entries);
  }
}

function isKey(id: unknown): id is RequestId {
  return typeof id === 'number' || typeof id === 'string';
}

/** The number 1 and the text '1' are two ids. */
function keyOf(id: RequestId): RequestId {
  return typeof id === 'number' ? id : `"${id}`;
}
