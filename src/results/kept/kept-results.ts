import type { ToolIdentifier } from '../../contract/types.js';
import {
  keptFileBytes,
  keptResultMs,
  longestKeptInMemory,
  maxKeptMemoryBytes,
  maxKeptResults,
  maxKeptWithoutFileBytes,
} from '../limits.js';
import { type KeptFile, openKeptFile } from './kept-file.js';
import { type KeptQuota, processQuota } from './kept-quota.js';

/** Results of one session that an answer has offered to select from, search or page. No other session can reach them. */
export interface KeptResults {
  /** The id that `keep` gives to the next result. */
  nextId(): string;
  /** Takes the next id for a call that still runs: its result is kept under it. */
  reserve(): string;
  /** False if there is no place for it. The bytes must not change. `id`: a reserved one. */
  keep(tool: ToolIdentifier, bytes: readonly Uint8Array[], id?: string): Promise<boolean>;
  /** Whether it is kept, as the result of this tool. It counts as read. */
  has(id: string, tool: ToolIdentifier): boolean;
  /** Undefined if it is not. */
  read(id: string, tool: ToolIdentifier): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

export interface KeptPlace {
  /** Of files; undefined: all is in memory. It has to be the user's own; it is made. */
  readonly directory?: string | undefined;
  /** In ms since 1970; another one only in tests. */
  readonly now?: () => number;
  /** What the process has; another one only in tests. */
  readonly quota?: KeptQuota;
}

interface Kept {
  readonly tool: ToolIdentifier;
  readonly length: number;
  readAt: number;
  readonly bytes?: Buffer;
  readonly file?: KeptFile;
  readonly at?: number;
}

/** Two files, the older of which is closed when the newer is full; small results in memory. There is no index on disk. */
export function createKeptResults({ directory, now = () => Date.now(), quota = processQuota }: KeptPlace): KeptResults {
  const kept = new Map<string, Kept>();
  let count = 0;
  let older: KeptFile | undefined;
  let newer: Promise<KeptFile> | undefined;
  let newerSize = 0;
  /** The directory cannot be used, or a write has failed. */
  let hasFile = directory !== undefined;
  let isClosed = false;
  const closed = new WeakSet<KeptFile>();
  let expiry: NodeJS.Timeout | undefined;

  const reserve = () => `r${++count}`;

  const share = quota.join({
    bytes: () => memoryBytes() + (older?.size ?? 0) + newerSize,
    shrink: () => {
      if (older !== undefined) dropFile(older);
      else if (newer !== undefined) void rotate();
    },
  });

  function memoryBytes(): number {
    let sum = 0;
    for (const { bytes } of kept.values()) sum += bytes?.length ?? 0;
    return sum;
  }

  function forget(matches: (one: Kept) => boolean): void {
    for (const [id, one] of kept) if (matches(one)) kept.delete(id);
  }

  function dropFile(file: KeptFile): void {
    if (older === file) older = undefined;
    forget((one) => one.file === file);
    closed.add(file);
    file.close().catch(() => {});
  }

  /** Drops what is too old, and the oldest of too many. */
  function sweep(): void {
    const limit = now() - keptResultMs;
    forget(({ readAt }) => readAt <= limit);
    for (const id of kept.keys()) {
      if (kept.size <= maxKeptResults) break;
      kept.delete(id);
    }
    const files = new Set(Array.from(kept.values(), ({ file }) => file));
    if (older !== undefined && !files.has(older)) dropFile(older);
    // One timer for all: most are dropped for others long before.
    if (kept.size === 0) clearTimeout(expiry);
    expiry = kept.size === 0 ? undefined : (expiry ?? setTimeout(expire, keptResultMs).unref());
  }

  function expire(): void {
    expiry = undefined;
    sweep();
    if (kept.size === 0) void rotate().then(sweep);
  }

  /** The newer file becomes the older. */
  async function rotate(): Promise<void> {
    if (older !== undefined) dropFile(older);
    const full = newer;
    newer = undefined;
    newerSize = 0;
    const file = await full?.catch(() => undefined);
    if (file === undefined) return;
    // Another one is the older by now.
    if (older !== undefined || isClosed) dropFile(file);
    else older = file;
  }

  const mostInMemory = () => (hasFile ? maxKeptMemoryBytes : maxKeptWithoutFileBytes);

  function keepInMemory(id: string, tool: ToolIdentifier, pieces: readonly Uint8Array[], length: number): void {
    for (const [oldId, one] of kept) {
      if (memoryBytes() + length <= mostInMemory()) break;
      if (one.bytes !== undefined) kept.delete(oldId);
    }
    kept.set(id, { tool, length, readAt: now(), bytes: Buffer.concat(pieces) });
  }

  async function keepInFile(id: string, tool: ToolIdentifier, pieces: readonly Uint8Array[], length: number) {
    if (newerSize > 0 && newerSize + length > keptFileBytes) await rotate();
    newer ??= openKeptFile(directory ?? '');
    newerSize += length;
    const file = await newer;
    try {
      kept.set(id, { tool, length, readAt: now(), file, at: await file.append(pieces) });
    } catch (error) {
      // It was closed while this was written, because others needed the place: nothing is wrong with the directory.
      if (!closed.has(file)) throw error;
    }
  }

  function find(id: string, { toolbox, server, name }: ToolIdentifier): Kept | undefined {
    sweep();
    const found = kept.get(id);
    if (found === undefined) return undefined;
    const { tool } = found;
    if (tool.toolbox !== toolbox || tool.server !== server || tool.name !== name) return undefined;
    found.readAt = now();
    return found;
  }

  return {
    nextId: () => `r${count + 1}`,
    reserve,
    async keep(tool, pieces, reserved) {
      const id = reserved ?? reserve();
      if (isClosed) return false;
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (hasFile && length > longestKeptInMemory) {
        try {
          await keepInFile(id, tool, pieces, length);
        } catch {
          hasFile = false;
        }
      }
      // The result of a call that was answered before is nowhere else: it has a place, whatever its size.
      if (!kept.has(id) && reserved === undefined && length > mostInMemory()) return false;
      if (!kept.has(id)) keepInMemory(id, tool, pieces, length);
      sweep();
      share.grown();
      return kept.has(id);
    },
    has: (id, tool) => find(id, tool) !== undefined,
    async read(id, tool) {
      const found = find(id, tool);
      if (found === undefined || found.bytes !== undefined) return found?.bytes;
      // Its file may be closed while it is read.
      return found.file?.read(found.at ?? 0, found.length).catch(() => undefined);
    },
    async close() {
      isClosed = true;
      kept.clear();
      clearTimeout(expiry);
      share.leave();
      const files = [older, await newer?.catch(() => undefined)].filter((file) => file !== undefined);
      await Promise.allSettled(files.map((file) => file.close()));
    },
  };
}
