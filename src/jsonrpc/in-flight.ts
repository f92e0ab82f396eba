import { isRequestId, type RequestId } from './messages.js';

/**
 * Requests in flight, by id. A Map that is constantly filled and emptied keeps allocating tables, and an old table
 * retains its entries until the next full garbage collection; under load that is megabytes. An object does not.
 */
export class InFlight<V> {
  // String ids are prefixed with a quote, so no key collides with a property of Object.prototype.
  readonly #entries: Record<RequestId, V> = {};

  has(id: unknown): boolean {
    return isRequestId(id) && keyOf(id) in this.#entries;
  }

  get(id: unknown): V | undefined {
    return isRequestId(id) ? this.#entries[keyOf(id)] : undefined;
  }

  set(id: RequestId, value: V): void {
    this.#entries[keyOf(id)] = value;
  }

  delete(id: unknown): void {
    if (isRequestId(id)) delete this.#entries[keyOf(id)];
  }

  /** A snapshot: entries may be deleted during iteration. */
  values(): V[] {
    return Object.values(this.#entries);
  }
}

/** The number 1 and the string '1' are different ids. */
function keyOf(id: RequestId): RequestId {
  return typeof id === 'number' ? id : `"${id}`;
}
