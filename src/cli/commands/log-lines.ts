import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { type ExitCode, exitCodes } from '../screen/exit-codes.js';

/** Logs are smaller; nobody reads more of them on a terminal. */
const mostBytes = 8_000_000;
const lookEveryMs = 200;

export interface LastLines {
  readonly lines: readonly string[];
  /** Where the file ended. */
  readonly end: number;
}

/** The last lines of a log, from the file before it as well if need be. Undefined if there is none. */
export function lastLines(file: string, count: number): LastLines | undefined {
  const current = readEnd(file);
  if (current === undefined) return undefined;
  const lines = linesIn(current.text);
  const earlier = lines.length < count ? linesIn(readEnd(`${file}.1`)?.text ?? '') : [];
  const all = [...earlier, ...lines];
  return { lines: count === 0 ? [] : all.slice(-count), end: current.end };
}

/** Writes every further line until the user interrupts it or nobody reads any more. */
export function followFile(
  file: string,
  from: number,
  write: (line: string) => void,
  isUnread: () => boolean,
): Promise<ExitCode> {
  let at = from;
  let decoder = new StringDecoder('utf8');
  let rest = '';
  function look(): void {
    // The log was full, and a new one has begun.
    if (sizeOf(file) < at) {
      at = 0;
      rest = '';
      decoder = new StringDecoder('utf8');
    }
    const bytes = readFrom(file, at);
    if (bytes === undefined) return;
    at += bytes.length;
    const lines = `${rest}${decoder.write(bytes)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) write(line);
  }
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      look();
      if (isUnread()) end(exitCodes.well);
    }, lookEveryMs);
    const end = (code: ExitCode) => {
      clearInterval(timer);
      resolve(code);
    };
    process.once('SIGINT', () => end(exitCodes.interrupted));
    look();
  });
}

function linesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function readEnd(file: string): { readonly text: string; readonly end: number } | undefined {
  const size = sizeOf(file);
  const bytes = size === -1 ? undefined : readFrom(file, Math.max(0, size - mostBytes));
  return bytes === undefined
    ? undefined
    : { text: bytes.toString('utf8'), end: Math.max(0, size - mostBytes) + bytes.length };
}

/** -1 if there is no such file. */
function sizeOf(file: string): number {
  try {
    const stats = statSync(file);
    // Opening a FIFO would block until another process writes to it.
    return stats.isFile() ? stats.size : -1;
  } catch {
    return -1;
  }
}

function readFrom(file: string, start: number): Buffer | undefined {
  if (sizeOf(file) === -1) return undefined;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const length = Math.min(mostBytes, Math.max(0, fstatSync(descriptor).size - start));
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, start));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
