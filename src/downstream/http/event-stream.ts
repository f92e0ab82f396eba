import type { Collected } from './collector.js';
import { type CollectorLimits, createCollector } from './collector.js';

const lineFeed = 0x0a;
const lineBreak = Buffer.of(lineFeed);
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
/** Names of fields and events, ids and times. */
const longestField = 1_024;
const byteOrderMark = '\u00ef\u00bb\u00bf';

export interface EventSink {
  /** `name` is `message` unless the server gives another one. Not called for events without data. */
  event(name: string, data: Collected): void;
  /** One character for each byte, as in a header. */
  id(lastEventId: string): void;
  /** How long to wait before the stream is requested again. */
  retry(ms: number): void;
}

/** Reads a chunk, to its end or until `isOver` after a line. Returns how much of it was read. */
type ReadEvents = (chunk: Buffer, isOver?: () => boolean) => number;

/** Reads server-sent events. The data stays the bytes that were sent. */
export function createEventReader(limits: CollectorLimits, sink: EventSink): ReadEvents {
  const data = createCollector(limits);
  let dataLines = 0;
  let dataBytes = 0;
  let eventName = '';
  let id: string | undefined;
  let isFirstLine = true;
  let skipsLineFeed = false;
  let line = newLine();

  /** A part of a line, without its end. */
  function read(part: Buffer): void {
    line.isEmpty = false;
    const rest = line.field === undefined ? readField(part) : part;
    if (rest === undefined || rest.length === 0) return;
    const value = line.isAtValue && rest[0] === space ? rest.subarray(1) : rest;
    line.isAtValue = false;
    if (line.field === 'data') {
      data.add(value);
      dataBytes += value.length;
    } else if (line.text.length < longestField) line.text += value.toString('latin1', 0, longestField);
  }

  /** Undefined if the line is no field so far. */
  function readField(part: Buffer): Buffer | undefined {
    const end = part.subarray(0, longestField).indexOf(colon);
    if (line.text.length < longestField) line.text += part.toString('latin1', 0, end < 0 ? longestField : end);
    if (end < 0) return undefined;
    beginValue();
    return part.subarray(end + 1);
  }

  function beginValue(): void {
    line.field = isFirstLine && line.text.startsWith(byteOrderMark) ? line.text.slice(3) : line.text;
    line.text = '';
    line.isAtValue = true;
    if (line.field === 'data' && dataLines++ > 0) data.add(lineBreak);
  }

  function endLine(): void {
    if (line.isEmpty) dispatch();
    else {
      if (line.field === undefined) beginValue();
      if (line.field === 'event') eventName = line.text;
      if (line.field === 'id' && !line.text.includes('\0')) id = line.text;
      if (line.field === 'retry' && /^\d+$/.test(line.text)) sink.retry(Number(line.text));
    }
    isFirstLine = false;
    line = newLine();
  }

  function dispatch(): void {
    if (id !== undefined) sink.id(id);
    const collected = dataLines > 0 ? data.take() : undefined;
    if (collected !== undefined && dataBytes > 0) sink.event(eventName || 'message', collected);
    dataLines = 0;
    dataBytes = 0;
    eventName = '';
    id = undefined;
  }

  return (chunk, isOver = () => false) => {
    let start = skipsLineFeed && chunk[0] === lineFeed ? 1 : 0;
    if (chunk.length > 0) skipsLineFeed = false;
    let feed = chunk.indexOf(lineFeed, start);
    let carriage = chunk.indexOf(carriageReturn, start);
    while (feed >= 0 || carriage >= 0) {
      const isCarriage = carriage >= 0 && (feed < 0 || carriage < feed);
      const end = isCarriage ? carriage : feed;
      if (end > start) read(chunk.subarray(start, end));
      endLine();
      start = end + 1;
      // CR LF is one end of a line.
      if (isCarriage && start === chunk.length) skipsLineFeed = true;
      if (isCarriage && chunk[start] === lineFeed) start++;
      if (feed >= 0 && feed < start) feed = chunk.indexOf(lineFeed, start);
      if (isCarriage) carriage = chunk.indexOf(carriageReturn, start);
      if (isOver()) return start;
    }
    if (start < chunk.length) read(chunk.subarray(start));
    return chunk.length;
  };
}

/** `field`: its name, once the colon was read. `text`: of the name, then of the value. */
function newLine(): { isEmpty: boolean; field: string | undefined; text: string; isAtValue: boolean } {
  return { isEmpty: true, field: undefined, text: '', isAtValue: false };
}
