import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { StdioTarget } from '../config/config.js';
import { isRecord } from '../jsonrpc/json.js';
import { removeStaleTemporaries, writeFileAtomicallySync } from '../platform/atomic-file.js';
import { sha256 } from '../platform/crypto.js';

const keptForMs = 7 * 24 * 3_600_000;
const mostEntries = 1_000;
// Writing can wait until servers have started.
const gatherMs = 1_000;

/** Remembers which servers are known to speak only revisions before 2026-07-28, so that they are not probed at every start. */
export interface EraMemory {
  isLegacy(target: StdioTarget): boolean;
  remember(target: StdioTarget): void;
  forget(target: StdioTarget): void;
  /** Writes what has not been written yet. */
  flush(): void;
}

/** Kept in a file of the user's cache, if one is given. Losing it costs a probe per server and nothing else. */
export function createEraMemory(file: string | undefined): EraMemory {
  const changes: ((entries: Map<string, number>) => void)[] = [];
  let legacySince: Map<string, number> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const known = () => (legacySince ??= read(file));

  function change(apply: (entries: Map<string, number>) => void): void {
    apply(known());
    changes.push(apply);
    timer ??= setTimeout(flush, gatherMs).unref();
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (changes.length === 0) return;
    // Read again: another workbench may have written to the file since.
    const entries = read(file);
    for (const apply of changes.splice(0)) apply(entries);
    write(file, new Map([...entries].slice(-mostEntries)));
  }

  return {
    isLegacy: (target) => known().has(keyOf(target)),
    remember(target) {
      if (!known().has(keyOf(target))) change((entries) => entries.set(keyOf(target), Date.now()));
    },
    forget(target) {
      if (known().has(keyOf(target))) change((entries) => entries.delete(keyOf(target)));
    },
    flush,
  };
}

// A digest: arguments may hold secrets.
function keyOf({ command, args, cwd }: StdioTarget): string {
  return sha256(JSON.stringify([command, args, cwd]));
}

function read(file: string | undefined): Map<string, number> {
  if (file === undefined) return new Map();
  try {
    // Reading a FIFO would block until another process writes to it.
    if (!statSync(file).isFile()) return new Map();
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const entries = isRecord(content) ? Object.entries(content) : [];
    return new Map(entries.filter((entry): entry is [string, number] => isFresh(entry[1])));
  } catch {
    return new Map();
  }
}

// An entry from the future was written with a wrong clock and would never expire.
function isFresh(since: unknown): boolean {
  const age = typeof since === 'number' ? Date.now() - since : Number.NaN;
  return age >= 0 && age < keptForMs;
}

function write(file: string | undefined, entries: ReadonlyMap<string, number>): void {
  if (file === undefined) return;
  removeStaleTemporaries(path.dirname(file));
  try {
    writeFileAtomicallySync(file, JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // The cache is optional: without it servers are probed again.
  }
}
