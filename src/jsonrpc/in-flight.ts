import { isRequestId, type RequestId } from './messages.js';

const fewestSlots = 16;
const mostSlots = 4_096;
const empty = -1;

/**
 * Requests in flight, by id. Nearly all ids are integers that count up: each has the slot that its last bits name, and
 * nothing is allocated. A Map that is constantly filled and emptied keeps allocating tables, and an old table retains its
 * entries until the next full garbage collection; an object whose integer keys are deleted becomes slow.
 */
export class InFlight<V> {
  private ids: number[] = slotsOf(fewestSlots, empty);
  private slots: (V | undefined)[] = slotsOf(fewestSlots, undefined);
  // Other ids, and integers whose slot is taken. String ids are prefixed with a quote, so no key collides with a property of
  // Object.prototype.
  private readonly others: Record<RequestId, V> = {};

  has(id: unknown): boolean {
    return this.slotOf(id) !== empty || (isRequestId(id) && keyOf(id) in this.others);
  }

  get(id: unknown): V | undefined {
    const slot = this.slotOf(id);
    if (slot !== empty) return this.slots[slot];
    return isRequestId(id) ? this.others[keyOf(id)] : undefined;
  }

  set(id: RequestId, value: V): void {
    if (isCount(id) && !(keyOf(id) in this.others) && this.makeRoom(id)) {
      const slot = id & (this.ids.length - 1);
      this.ids[slot] = id;
      this.slots[slot] = value;
    } else {
      this.others[keyOf(id)] = value;
    }
  }

  delete(id: unknown): void {
    const slot = this.slotOf(id);
    if (slot !== empty) {
      this.ids[slot] = empty;
      this.slots[slot] = undefined;
    } else if (isRequestId(id)) {
      delete this.others[keyOf(id)];
    }
  }

  /** A snapshot: entries may be deleted during iteration. Integers are in ascending order. */
  values(): V[] {
    const all = { ...this.others };
    for (const [slot, id] of this.ids.entries()) {
      const value = this.slots[slot];
      if (id !== empty && value !== undefined) all[id] = value;
    }
    return Object.values(all);
  }

  private slotOf(id: unknown): number {
    if (!isCount(id)) return empty;
    const slot = id & (this.ids.length - 1);
    return this.ids[slot] === id ? slot : empty;
  }

  /** Whether the slot of this id is free, or its own. Ids that count up need as many slots as the oldest of them is behind. */
  private makeRoom(id: number): boolean {
    for (;;) {
      const taken = this.ids[id & (this.ids.length - 1)];
      if (taken === empty || taken === id) return true;
      if (this.ids.length >= mostSlots) return false;
      this.grow();
    }
  }

  private grow(): void {
    const { ids, slots } = this;
    const size = ids.length * 2;
    this.ids = slotsOf(size, empty);
    this.slots = slotsOf(size, undefined);
    for (const [slot, id] of ids.entries()) {
      if (id === empty) continue;
      this.ids[id & (size - 1)] = id;
      this.slots[id & (size - 1)] = slots[slot];
    }
  }
}

/** All of them at once: V8 makes a dictionary of an array that is filled in any order. */
function slotsOf<T>(count: number, content: T): T[] {
  return Array.from({ length: count }, () => content);
}

/** Whether it is an integer that has a slot. */
function isCount(id: unknown): id is number {
  return typeof id === 'number' && (id | 0) === id && id >= 0;
}

/** The number 1 and the string '1' are different ids. */
function keyOf(id: RequestId): RequestId {
  return typeof id === 'number' ? id : `"${id}`;
}
