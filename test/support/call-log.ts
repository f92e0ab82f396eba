import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './launch.js';

/** A message that a scripted server received, or its start. */
export interface LogEntry {
  readonly pid: number;
  readonly method?: string;
  readonly id?: unknown;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly requestId?: unknown;
  readonly protocolVersion?: string;
  readonly uri?: string;
  readonly taskId?: string;
  readonly inputResponses?: unknown;
}

/** A file for `--log` of a scripted server. It outlives the server, so a call that was sent twice is in it twice. */
export interface CallLog {
  readonly path: string;
  entries(): LogEntry[];
  /** The entries of one method; `start` is the start of a process. */
  methods(method: string): LogEntry[];
}

export function callLog(): CallLog {
  const path = join(temporaryDirectory(), 'calls.jsonl');
  const entries = (): LogEntry[] =>
    existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : [];
  return { path, entries, methods: (method) => entries().filter((entry) => entry.method === method) };
}
