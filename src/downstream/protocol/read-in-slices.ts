import type { Readable } from 'node:stream';
import { sliceMs } from '../../platform/slices.js';

/** Node.js reads a pipe again in the same turn of the event loop only after a read that filled its buffer. */
const fullReadBytes = 65_536;

export interface SlicedReading {
  /** Resolves when the stream has ended and all of it has been read: it may end while chunks still wait. */
  readonly ended: Promise<void>;
  /** Stops reading until `resume`. */
  pause(): void;
  resume(): void;
}

/**
 * Reads a stream for at most a few milliseconds in each turn of the event loop: a process that writes without end must not
 * hold up the others. `read` returns how much of a chunk it has read; less than all of it if `isOver`.
 */
export function readInSlices(stream: Readable, read: (chunk: Buffer, isOver: () => boolean) => number): SlicedReading {
  const waiting: Buffer[] = [];
  let ends = 0;
  let isTurnAwaited = false;
  let isHeld = false;
  let hasEnded = false;
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });
  const isOver = () => isHeld || performance.now() >= ends;

  /** `mayContinue`: there may be more in this turn of the event loop, which belongs to the same slice. */
  function work(mayContinue: boolean): void {
    let mayRead = isTurnAwaited ? !isOver() : !isHeld;
    if (!isTurnAwaited) ends = performance.now() + sliceMs;
    let [chunk] = waiting;
    while (chunk !== undefined && mayRead) {
      const done = read(chunk, isOver);
      if (done < chunk.length) waiting[0] = chunk.subarray(done);
      else waiting.shift();
      [chunk] = waiting;
      // The clock is not read after the last one: most chunks are one short line.
      mayRead = chunk !== undefined && !isOver();
    }
    if (chunk !== undefined || isHeld) stream.pause();
    else if (hasEnded) markEnded();
    else if (stream.isPaused()) stream.resume();
    if (mayContinue || chunk !== undefined) awaitTurn();
  }

  function awaitTurn(): void {
    if (isTurnAwaited) return;
    isTurnAwaited = true;
    setImmediate(() => {
      isTurnAwaited = false;
      // A stream that was destroyed while it was paused stays so.
      const isWaitedFor = waiting.length > 0 || (stream.isPaused() && !hasEnded);
      if (!isHeld && isWaitedFor) work(true);
    });
  }

  stream.on('data', (chunk: Buffer) => {
    waiting.push(chunk);
    if (waiting.length === 1) work(chunk.length >= fullReadBytes);
    // Node.js resumes the output of a process that exits.
    else stream.pause();
  });

  for (const event of ['end', 'close']) {
    stream.once(event, () => {
      hasEnded = true;
      if (waiting.length === 0) markEnded();
    });
  }

  return {
    ended,
    pause() {
      isHeld = true;
      stream.pause();
    },
    resume() {
      isHeld = false;
      if (!isTurnAwaited) work(true);
    },
  };
}
