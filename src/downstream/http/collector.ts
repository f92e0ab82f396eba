import { createIdScanner } from '../../jsonrpc/id-scanner.js';
import type { LostMessage } from '../protocol/wire.js';

/** A message as bytes, or what is known of one that was too large to be kept. */
export type Collected = { readonly bytes: Buffer } | ({ readonly tooLong: number } & LostMessage);

/** What is kept of a message, as it is at the moment. */
export interface CollectorLimits {
  readonly maxBytes: () => number;
  /** Whether the first bytes of one that is too large are of use. */
  readonly keepsStart: () => boolean;
}

export interface Collector {
  add(part: Buffer): void;
  /** What was collected. The next message begins. */
  take(): Collected;
}

/**
 * Smaller parts are copied together. A server may send a message byte by byte: each part would cost a hundred bytes, and keep
 * the whole chunk that it was cut from.
 */
const smallBytes = 16_384;
const blockBytes = 65_536;

/** Collects the bytes of one message at a time. Those over the limit are looked at and dropped. */
export function createCollector({ maxBytes, keepsStart }: CollectorLimits): Collector {
  let parts: Buffer[] = [];
  let block: Buffer | undefined;
  let blockUsed = 0;
  let held = 0;
  let dropped: ReturnType<typeof createIdScanner> | undefined;
  let start: Buffer | undefined;

  function keep(part: Buffer): void {
    // Most messages come in one part.
    if (part.length >= smallBytes || parts.length === 0) {
      endBlock();
      parts.push(part);
      return;
    }
    if (block === undefined || blockUsed + part.length > block.length) {
      endBlock();
      block = Buffer.allocUnsafe(blockBytes);
    }
    blockUsed += part.copy(block, blockUsed);
  }

  function endBlock(): void {
    if (block !== undefined) parts.push(block.subarray(0, blockUsed));
    block = undefined;
    blockUsed = 0;
  }

  return {
    add(part) {
      held += part.length;
      if (dropped !== undefined) {
        dropped.feed(part);
        return;
      }
      keep(part);
      if (held <= maxBytes()) return;
      endBlock();
      dropped = createIdScanner();
      for (const piece of parts) dropped.feed(piece);
      if (keepsStart()) start = Buffer.concat(parts, held - part.length);
      parts = [];
    },

    take() {
      endBlock();
      const [first] = parts;
      const collected =
        dropped === undefined
          ? { bytes: parts.length === 1 && first !== undefined ? first : Buffer.concat(parts, held) }
          : { tooLong: held, id: dropped.id(), isRequest: dropped.method() !== undefined, start };
      parts = [];
      start = undefined;
      held = 0;
      dropped = undefined;
      return collected;
    },
  };
}
