import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { RemoteTarget, StdioTarget } from '../../config/config.js';
import { isRecord } from '../../jsonrpc/json.js';
import { removeStaleTemporaries, writeFileAtomicallySync } from '../../platform/atomic-file.js';
import { sha256 } from '../../platform/crypto.js';

const keptForMs = 7 * 24 * 3_600_000;
const mostEntries = 1_000;
// Writing can wait until servers have started.
const gatherMs = 1_000;

type Target = StdioTarget | RemoteTarget;

/**
 * Remembers which servers are known to speak only revisions before 2026-07-28, and which remote servers only SSE, so that they
 * are not probed at every start.
 */
export interface EraMemory {
  isLegacy(target: Target): boolean;
  remember(target: Target): void;
  forget(target: Target): void;
  isSse(target: RemoteTarget): boolean;
  rememberSse(target: RemoteTarget): void;
  forgetSse(target: RemoteTarget): void;
  /** Writes what has not been written yet. */
  flush(): void;
}

/** Kept in a file of the user's cache, if one is given. Losing it costs a probe per server and nothing else. */
export function createEraMemory(file: string | undefined): EraMemory {
  const changes: ((entries: Map<string, number>) => void)[] = [];
  let since: Map<string, number> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const known = () => (since ??= read(file));

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

  const has = (key: string) => known().has(key);
  const add = (key: string) => {
    if (!has(key)) change((entries) => entries.set(key, Date.now()));
  };
  const remove = (key: string) => {
    if (has(key)) change((entries) => entries.delete(key));
  };

  return {
    isLegacy: (target) => has(keyOf(target)),
    remember: (target) => add(keyOf(target)),
    forget: (target) => remove(keyOf(target)),
    isSse: (target) => has(sseKeyOf(target)),
    rememberSse: (target) => add(sseKeyOf(target)),
    forgetSse: (target) => remove(sseKeyOf(target)),
    flush,
  };
}

// A digest: arguments and URLs may hold secrets. Variables and headers do not change what a server speaks.
function keyOf(target: Target): string {
  const facts = target.kind === 'remote' ? ['remote', target.url] : [target.command, target.args, target.cwd];
  return sha256(JSON.stringify(facts));
}

// In the same file: versions that know nothing about it take it for another server and keep it.
function sseKeyOf(target: RemoteTarget): string {
  return `sse-${keyOf(target)}`;
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
