import type { Writable } from 'node:stream';
import { createBatchWriter } from '../../jsonrpc/batch-writer.js';
import type { Pieces } from '../../results/held-bytes.js';

/** What a frame between a session and its host is. The number in it names the request or the question that it is about. */
export const frameKinds = {
  /** To the host: a request, as the agent wrote it. */
  request: 1,
  /** To the host: the response to a question. */
  answer: 2,
  /** To the session: the result of a request. */
  result: 3,
  /** To the session: its error. */
  failure: 4,
  /** To the session: a question for the agent. */
  question: 5,
  /** To the session: a notification for the agent. */
  notification: 6,
  /** In both directions: not the agent's; see `protocol.ts`. */
  control: 7,
} as const;

export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

/** Its length, its kind and its number, before the content. */
const headBytes = 9;
/** Up to here a copy costs less than a write of several pieces. */
const longestCopy = 16_384;

export interface FrameWriter {
  write(kind: FrameKind, number: number, content: string | Pieces): void;
  flush(): void;
  readonly backlog: number;
}

export function createFrameWriter(stream: Writable): FrameWriter {
  const writer = createBatchWriter(stream);
  return {
    write(kind, number, content) {
      const pieces = typeof content === 'string' ? [content] : content;
      let size = 0;
      for (const piece of pieces) size += Buffer.byteLength(piece);
      if (size > longestCopy) {
        const buffers = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
        writer.write([headOf(Buffer.allocUnsafe(headBytes), size, kind, number), ...buffers]);
        return;
      }
      const frame = headOf(Buffer.allocUnsafe(headBytes + size), size, kind, number);
      let at = headBytes;
      for (const piece of pieces) {
        if (typeof piece === 'string') at += frame.write(piece, at);
        else frame.set(piece, (at += piece.length) - piece.length);
      }
      writer.write([frame]);
    },
    flush: () => writer.flush(),
    get backlog() {
      return writer.backlog;
    },
  };
}

function headOf(frame: Buffer, size: number, kind: FrameKind, number: number): Buffer {
  frame.writeUInt32LE(size, 0);
  frame[4] = kind;
  frame.writeUInt32LE(number, 5);
  return frame;
}

export interface Frame {
  readonly kind: number;
  readonly number: number;
  /** The content, in the pieces in which it came. */
  readonly pieces: readonly Buffer[];
  readonly size: number;
}

/** Splits a stream into frames without copying their content. Throws for one over `maxBytes`: what follows cannot be read. */
export function createFrameReader(maxBytes: number, onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  /** Of a head that has not come whole. */
  let begun: Buffer | undefined;
  let isInside = false;
  let kind = 0;
  let number = 0;
  let size = 0;
  let missing = 0;
  let pieces: Buffer[] = [];

  function begin(head: Buffer, at: number): void {
    size = missing = head.readUInt32LE(at);
    if (size > maxBytes) throw new Error(`a frame of ${size} bytes`);
    kind = head[at + 4] ?? 0;
    number = head.readUInt32LE(at + 5);
    isInside = true;
    if (size === 0) finish();
  }

  function finish(): void {
    const frame = { kind, number, pieces, size };
    pieces = [];
    isInside = false;
    onFrame(frame);
  }

  /** Returns how far the chunk has been read. */
  function readHead(chunk: Buffer, from: number): number {
    if (begun === undefined && chunk.length - from >= headBytes) {
      begin(chunk, from);
      return from + headBytes;
    }
    const end = Math.min(chunk.length, from + headBytes - (begun?.length ?? 0));
    const head = Buffer.concat([begun ?? Buffer.alloc(0), chunk.subarray(from, end)]);
    begun = head.length < headBytes ? head : undefined;
    if (begun === undefined) begin(head, 0);
    return end;
  }

  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (!isInside) {
        at = readHead(chunk, at);
        continue;
      }
      const piece = at === 0 && chunk.length <= missing ? chunk : chunk.subarray(at, at + missing);
      pieces.push(piece);
      missing -= piece.length;
      at += piece.length;
      if (missing === 0) finish();
    }
  };
}

/** The content as text. */
export function textOf({ pieces, size }: Frame): string {
  const [first] = pieces;
  if (first === undefined) return '';
  return pieces.length === 1 ? first.toString('utf8') : Buffer.concat(pieces, size).toString('utf8');
}
