import path from 'node:path';
import { messageOf } from '../../contract/errors.js';
import type { Computer } from '../../platform/computer.js';
import { configDirectoryOf } from '../../platform/directories.js';
import type { Log } from '../../platform/log.js';
import { resultWithin } from '../../platform/time-limit.js';
import { printableLine } from '../../text/printable.js';
import { fileName } from '../files/find.js';
import { approvedAtFirst, approvedIn, lockedServer } from './approved.js';
import { editLock, isUnusableLock } from './edit-lock-file.js';
import { isOf, type LockDocument, type LockedServer } from './lock-document.js';
import { lockPathsOf } from './lock-path.js';
import { type FoundLock, readLockFile } from './read-lock-file.js';
import type { Approved, FirstSight, ServerNames, ToolLock, ToolLocks } from './tool-lock.js';

/** Writing can wait until servers have started. */
const gatherMs = 1_000;
/** A disk that does not respond must not hold up an answer for longer. */
const readLimitMs = 500;

interface StoredLock extends ToolLock {
  flush(): Promise<void>;
}

/** `keepsFiles`: otherwise what is seen for the first time is remembered, but not stored. */
export function createLockFiles(
  computer: Pick<Computer, 'env' | 'platform' | 'home'>,
  log: Log,
  { keepsFiles }: { readonly keepsFiles: boolean },
): ToolLocks {
  const locks = new Map<string, StoredLock>();
  return {
    of(configFile) {
      const lock = locks.get(configFile) ?? createLockFile(configFile, computer, log, keepsFiles);
      locks.set(configFile, lock);
      return lock;
    },
    async flush() {
      await Promise.all(Array.from(locks.values(), (lock) => lock.flush()));
    },
  };
}

function createLockFile(
  configFile: string,
  computer: Pick<Computer, 'env' | 'platform' | 'home'>,
  log: Log,
  keepsFiles: boolean,
): StoredLock {
  const paths = lockPathsOf(configFile, computer);
  const files = [paths.beside, paths.own];
  const shown = printableLine(paths.beside);
  // The user's own configuration is found without its name.
  const isOwn = configFile === path.join(configDirectoryOf(computer), fileName);
  let found: readonly (FoundLock | undefined)[] = [];
  /** The last readable content of each file; it stays in force if the file becomes unreadable or vanishes. */
  let documents: readonly LockDocument[] = [];
  let known = new Map<string, Map<string, Approved | undefined>>();
  const added: FirstSight[] = [];
  let unsaved: FirstSight[] = [];
  /** A reading, as long as anybody waits for it: one that takes longer continues. */
  let reading: Promise<void> | undefined;
  let first: Promise<void> | undefined;
  let saving: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let revision = 0;
  let isRead = false;
  const warned = new Set<string>();

  function warnOnce(text: string): void {
    if (warned.has(text)) return;
    warned.add(text);
    log.warn(text);
  }

  async function read(): Promise<void> {
    const next = await Promise.all(files.map((file, index) => readShared(file, found[index])));
    const isChanged = next.some((one, index) => one !== found[index] && one.state !== found[index]?.state);
    found = next;
    isRead = true;
    if (!isChanged) return;
    const before = documents;
    documents = next.flatMap((one, index) => (one.is === 'read' ? one.document : (before[index] ?? { servers: [] })));
    known = new Map();
    revision++;
    for (const [index, one] of next.entries())
      if (one.is === 'unusable') warnOnce(`the lock ${printableLine(files[index] ?? '')} is not used: ${one.problem}`);
  }

  function refresh(): Promise<void> {
    if (reading !== undefined) return reading;
    const work = read().finally(() => {
      reading = undefined;
    });
    reading = resultWithin(readLimitMs, work);
    return reading;
  }

  function look(names: ServerNames): Approved | undefined {
    const inFiles = documents.flatMap(({ servers }) => servers.filter(isOf(names)));
    if (inFiles.length > 0) return approvedIn(inFiles);
    const seen = added.find(isOf(names));
    return seen && approvedAtFirst(seen);
  }

  async function save(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const entries = unsaved;
    unsaved = [];
    if (entries.length === 0 || !keepsFiles) return;
    try {
      const { file, instead } = await editLock(paths, configFile, (document) => withNew(document, entries));
      if (instead !== undefined)
        warnOnce(
          `the lock ${shown} cannot be written (${printableLine(instead)}); it is kept in ${printableLine(file)}`,
        );
    } catch (error) {
      // Its problem was reported when it was read.
      if (isUnusableLock(error)) return;
      warnOnce(
        `the lock ${shown} cannot be written (${printableLine(messageOf(error))}); what was seen is forgotten at the end of this session`,
      );
    }
  }

  return {
    file: paths.beside,
    configOptions: isOwn ? [] : ['--config', configFile],
    get revision() {
      return revision;
    },
    get problem() {
      if (!isRead) return 'it could not be read in time';
      return found.find((one) => one?.is === 'unusable')?.problem;
    },
    refresh,
    ready: () => (first ??= refresh()),
    approved({ toolbox, server }) {
      const box = known.get(toolbox) ?? new Map<string, Approved | undefined>();
      known.set(toolbox, box);
      if (!box.has(server)) box.set(server, look({ toolbox, server }));
      return box.get(server);
    },
    add(seen) {
      added.push(seen);
      unsaved.push(seen);
      known.get(seen.toolbox)?.delete(seen.server);
      revision++;
      timer ??= setTimeout(() => void flush(), gatherMs).unref();
    },
    flush,
  };

  function flush(): Promise<void> {
    // One after the other: an entry may be added while another is written.
    saving = (saving ?? Promise.resolve()).then(save);
    return saving;
  }
}

/** Locks in use by sessions of this process: sessions with the same file share one copy. */
const held = new Map<string, WeakRef<FoundLock>>();

async function readShared(file: string, known: FoundLock | undefined): Promise<FoundLock> {
  const found = await readLockFile(file, { known: [known, held.get(file)?.deref()] });
  if (found !== known && found.is === 'read') held.set(file, new WeakRef(found));
  return found;
}

/** Entries that another process has added first stay. */
async function withNew(document: LockDocument, seen: readonly FirstSight[]): Promise<LockDocument> {
  const missing = seen.filter((one) => !document.servers.some(isOf(one)));
  if (missing.length === 0) return document;
  const added: LockedServer[] = [];
  for (const one of missing) added.push(await lockedServer(one));
  return { servers: [...document.servers, ...added] };
}
