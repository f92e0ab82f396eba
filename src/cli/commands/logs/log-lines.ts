import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { NumberedFile } from '../../../downstream/logs/log-names.js';
import { type ExitCode, exitCodes } from '../../frame/screen/exit-codes.js';

/** Logs are smaller, and a terminal shows no more. */
const mostBytes = 8_000_000;
const lookEveryMs = 200;

export interface LastLines {
  readonly lines: readonly string[];
  /** Where each file ended. */
  readonly ends: ReadonlyMap<string, number>;
}

/**
 * The last lines of a log, from the files before as well if need be; of several logs, those of several processes with the same
 * names, by their time. Undefined if there is none.
 */
export function lastLines(files: readonly NumberedFile[], count: number): LastLines | undefined {
  const logs = files.flatMap(({ path, number }) => {
    const last = lastLinesOf(path, count);
    return last === undefined ? [] : [{ path, end: last.end, lines: last.lines.map((line) => numbered(line, number)) }];
  });
  if (logs.length === 0) return undefined;
  const [only, ...others] = logs;
  const lines = others.length === 0 ? (only?.lines ?? []) : byTime(logs.map((log) => log.lines));
  return { lines: count === 0 ? [] : lines.slice(-count), ends: new Map(logs.map(({ path, end }) => [path, end])) };
}

function lastLinesOf(
  file: string,
  count: number,
): { readonly lines: readonly string[]; readonly end: number } | undefined {
  const current = readEnd(file);
  if (current === undefined) return undefined;
  const lines = linesIn(current.text);
  const earlier = lines.length < count ? linesIn(readEnd(`${file}.1`)?.text ?? '') : [];
  return { lines: [...earlier, ...lines], end: current.end };
}

/** A line of the second process gets its number behind the time, and so on. */
function numbered(line: string, number: number): string {
  return number === 1 ? line : line.replace(timed, `$&[${number}] `);
}

const timed = /^\d{4}-\S+Z /;

function byTime(logs: readonly (readonly string[])[]): string[] {
  const all = logs.flatMap((lines) => {
    let time = '';
    return lines.map((line) => ({ line, time: (time = timed.exec(line)?.[0] ?? time) }));
  });
  return all.sort((a, b) => (a.time < b.time ? -1 : Number(a.time > b.time))).map(({ line }) => line);
}

/** Writes every further line until the user interrupts it or the reader is gone. `files`: the current ones. */
export function followFiles(
  files: () => readonly NumberedFile[],
  ends: ReadonlyMap<string, number>,
  write: (line: string) => void,
  isUnread: () => boolean,
): Promise<ExitCode> {
  const tails = new Map<string, () => void>();
  function look(): void {
    for (const { path, number } of files()) {
      const tail = tails.get(path) ?? createTail(path, ends.get(path) ?? 0, (line) => write(numbered(line, number)));
      tails.set(path, tail);
      tail();
    }
  }
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      look();
      if (isUnread()) end(exitCodes.ok);
    }, lookEveryMs);
    const end = (code: ExitCode) => {
      clearInterval(timer);
      resolve(code);
    };
    process.once('SIGINT', () => end(exitCodes.interrupted));
    look();
  });
}

/** Returns what reads the lines since the last time. */
function createTail(file: string, from: number, write: (line: string) => void): () => void {
  let at = from;
  let decoder = new StringDecoder('utf8');
  let rest = '';
  return () => {
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
  };
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
