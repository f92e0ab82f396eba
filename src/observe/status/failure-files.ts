import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../jsonrpc/json.js';
import { longestReason } from '../../limits.js';
import { writeFileAtomically } from '../../platform/atomic-file.js';
import { shorten } from '../../text/shorten.js';
import type { WorkbenchEvent } from '../../workbench/ports/observer.js';

/** What a server last failed with. */
export interface LastFailure {
  readonly at: number;
  readonly kind: string;
  /** No configured secret is in it. */
  readonly reason: string;
}

const keptForMs = 7 * 24 * 3_600_000;
const maxFileBytes = 10_000;

/** Keeps the last failure of each server in a file of the cache, until it starts well again. */
export interface FailureFiles {
  take(event: WorkbenchEvent): void;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
}

export function createFailureFiles(cacheDirectory: string): FailureFiles {
  // One after the other: the last event of a server decides.
  let writing = Promise.resolve();
  // The cache is optional: without it a command says less.
  const next = (work: () => Promise<void>) => {
    writing = writing.then(work).catch(() => {});
  };
  return {
    take(event) {
      if (event.is !== 'ready' && event.is !== 'failed' && event.is !== 'ended') return;
      const { target, cacheKey } = event.server;
      const file = fileOf(cacheDirectory, cacheKey);
      if (event.is === 'ready') {
        next(() => rm(file, { force: true }));
        return;
      }
      // Why an entry cannot be used is in the configuration; a cancelled start says nothing about the server.
      if (target.kind === 'broken' || event.kind === 'cancelled') return;
      const { at, kind, reason } = event;
      next(() => writeFileAtomically(file, JSON.stringify({ at, kind, reason })));
    },
    flush: () => writing,
  };
}

/** Undefined if the server started well since, or long ago. */
export function readLastFailure(cacheDirectory: string, cacheKey: string): LastFailure | undefined {
  try {
    const file = fileOf(cacheDirectory, cacheKey);
    // Reading a FIFO would block until another process writes to it.
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.size > maxFileBytes) return undefined;
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isRecord(found)) return undefined;
    const { at, kind, reason } = found;
    if (typeof at !== 'number' || typeof kind !== 'string' || typeof reason !== 'string') return undefined;
    const age = Date.now() - at;
    return age < 0 || age > keptForMs ? undefined : { at, kind, reason: shorten(reason, longestReason) };
  } catch {
    return undefined;
  }
}

/** Named like its cached tools. */
function fileOf(cacheDirectory: string, cacheKey: string): string {
  return path.join(cacheDirectory, 'failures', `${cacheKey}.json`);
}
