import type { Readable } from 'node:stream';
import { maxOtherMessageBytes } from '../../limits.js';
import { readInSlices, type SlicedReading } from '../protocol/read-in-slices.js';
import { type Collected, type CollectorLimits, createCollector } from './collector.js';
import { createEventReader } from './event-stream.js';

/** Where the messages in bodies go. */
export interface IntakeSink extends CollectorLimits {
  /** False if it is no message. */
  line(bytes: Buffer): boolean;
  tooLong(message: Exclude<Collected, { bytes: Buffer }>): void;
  garbage(bytes: number): void;
}

/** How far a stream was read, and when the server wants it to be requested again. */
export interface StreamPosition {
  lastEventId?: string | undefined;
  retryMs?: number;
}

/** Reads the bodies of responses, all of them within the same slices of time. */
export interface Intake {
  /** Resolves at the end of the body; rejects if it breaks off. */
  json(body: Readable): Promise<void>;
  /** Keeps the position. `onEvent`: called for every event, after its message was taken. */
  events(body: Readable, position: StreamPosition, onEvent: (name: string, data: Collected) => void): Promise<void>;
  message(message: Collected): void;
  pause(): void;
  resume(): void;
}

export function createIntake(sink: IntakeSink): Intake {
  const readings = new Set<SlicedReading>();
  let isPaused = false;

  async function readAll(body: Readable, read: (chunk: Buffer, isOver: () => boolean) => number): Promise<void> {
    let failure: Error | undefined;
    body.once('error', (error) => {
      failure = error;
    });
    const reading = readInSlices(body, read);
    readings.add(reading);
    if (isPaused) reading.pause();
    await reading.ended;
    readings.delete(reading);
    if (failure !== undefined) throw failure;
    if (!body.readableEnded) throw new Error('the body was not read to its end');
  }

  function message(collected: Collected): void {
    if ('tooLong' in collected) sink.tooLong(collected);
    else if (!sink.line(collected.bytes) && !batch(collected.bytes)) sink.garbage(collected.bytes.length);
  }

  /** Revision 2025-03-26 allows several messages in an array. */
  function batch(bytes: Buffer): boolean {
    if (bytes.length > maxOtherMessageBytes || !/^\s*\[/.test(bytes.toString('latin1', 0, 64))) return false;
    try {
      const messages: unknown = JSON.parse(bytes.toString('utf8'));
      return Array.isArray(messages) && messages.every((each) => sink.line(Buffer.from(JSON.stringify(each))));
    } catch {
      return false;
    }
  }

  return {
    message,

    async json(body) {
      const collector = createCollector(sink);
      await readAll(body, (chunk) => {
        collector.add(chunk);
        return chunk.length;
      });
      message(collector.take());
    },

    events(body, position, onEvent) {
      const read = createEventReader(sink, {
        event(name, data) {
          if (name === 'message') message(data);
          onEvent(name, data);
        },
        id(lastEventId) {
          // An empty one says that there is none.
          position.lastEventId = lastEventId || undefined;
        },
        retry(ms) {
          position.retryMs = ms;
        },
      });
      return readAll(body, read);
    },

    pause() {
      isPaused = true;
      for (const reading of readings) reading.pause();
    },

    resume() {
      isPaused = false;
      for (const reading of readings) reading.resume();
    },
  };
}
