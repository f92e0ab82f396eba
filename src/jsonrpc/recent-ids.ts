import type { RequestId } from './messages.js';

const mostKept = 256;

/** The numbers that the last requests had where they ran, by their ids. Once it is full, adding one allocates nothing. */
export class RecentIds {
  private readonly ids: RequestId[] = [];
  private readonly numbers: number[] = [];
  private next = 0;

  add(id: RequestId, number: number): void {
    this.ids[this.next] = id;
    this.numbers[this.next] = number;
    this.next = (this.next + 1) % mostKept;
  }

  /** Of the last request with this id; undefined if that was too many requests ago. */
  numberOf(id: RequestId): number | undefined {
    for (let back = 1; back <= this.ids.length; back++) {
      const at = (this.next - back + mostKept) % mostKept;
      if (this.ids[at] === id) return this.numbers[at];
    }
    return undefined;
  }
}
