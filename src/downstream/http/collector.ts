import { createIdScanner } from '../../jsonrpc/id-scanner.js';
import type { RequestId } from '../../jsonrpc/messages.js';

/** A message as bytes, or what is known of one that was too large to be kept. */
export type Collected =
  | { readonly bytes: Buffer }
  | { readonly tooLong: number; readonly id: RequestId | undefined; readonly isRequest: boolean };

export interface Collector {
  add(part: Buffer): void;
  /** What was collected. The next message begins. */
  take(): Collected;
}

/** Collects the bytes of one message at a time. Those over the limit are looked at and dropped. `maxBytes`: the limit now. */
export function createCollector(maxBytes: () => number): Collector {
  let parts: Buffer[] = [];
  let held = 0;
  let dropped: ReturnType<typeof createIdScanner> | undefined;

  return {
    add(part) {
      held += part.length;
      if (dropped !== undefined) {
        dropped.feed(part);
        return;
      }
      parts.push(part);
      if (held <= maxBytes()) return;
      dropped = createIdScanner();
      for (const piece of parts) dropped.feed(piece);
      parts = [];
    },

    take() {
      const [first] = parts;
      const collected =
        dropped === undefined
          ? { bytes: parts.length === 1 && first !== undefined ? first : Buffer.concat(parts, held) }
          : { tooLong: held, id: dropped.id(), isRequest: dropped.isRequest() };
      parts = [];
      held = 0;
      dropped = undefined;
      return collected;
    },
  };
}
