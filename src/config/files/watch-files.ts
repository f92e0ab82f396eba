import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { identityOf, isSilent, stateOf, watchedDirectories } from './watched-directories.js';

/** After the last of several changes in a row, such as those of an editor that writes a file in pieces. */
const quietMs = 150;
/** A file that changes all the time is looked at nevertheless. */
const longestMs = 1_000;
/** How often the state of the files is compared where changes come without a notification. */
const pollMs = 1_000;
/** And elsewhere: a directory further up may be renamed, and not every file system notifies that should. */
const slowPollMs = 10_000;

export interface FileWatch {
  /**
   * Watches these files, and no others, from now on. They need not exist. Whether there are new ones among them: a change
   * of those before now is not noticed.
   */
  watch(paths: readonly string[]): Promise<boolean>;
  close(): void;
}

interface Watched {
  readonly watcher: FSWatcher | undefined;
  /** Another directory under the same path needs another watcher. */
  readonly state: string;
  names: ReadonlySet<string>;
}

/**
 * Calls back when one of the files has changed: was written, replaced, removed, created, or is reached by another link. The
 * directories are watched, not the files: editors replace files. Polls every second only where the system does not notify.
 * Nothing here keeps the process alive.
 */
export function watchFiles(
  onChange: () => void,
  isWithoutNotices: (directory: string) => boolean = isSilent,
): FileWatch {
  const directories = new Map<string, Watched>();
  /** Each file and its last state. */
  let states: ReadonlyMap<string, string> = new Map();
  let quiet: NodeJS.Timeout | undefined;
  let latest: NodeJS.Timeout | undefined;
  let poll: { readonly everyMs: number; readonly timer: NodeJS.Timeout } | undefined;
  let isChecking = false;
  let isNoticed = false;

  function noticed(): void {
    isNoticed = true;
    clearTimeout(quiet);
    quiet = setTimeout(check, quietMs).unref();
    latest ??= setTimeout(check, longestMs).unref();
  }

  function check(): void {
    // On a file system that does not respond, this takes for ever.
    if (!isChecking) void compare();
  }

  async function compare(): Promise<void> {
    clearTimeout(quiet);
    clearTimeout(latest);
    latest = undefined;
    isChecking = true;
    const isEvent = isNoticed;
    isNoticed = false;
    const before = states;
    const found = await statesOf([...before.keys()]);
    isChecking = false;
    if (isNoticed) noticed();
    // The set of watched files is new; changes of the ones that stay in it may have been missed.
    if (states !== before) return check();
    const isChanged = [...found].some(([file, state]) => before.get(file) !== state);
    if (isChanged || isEvent) arm();
    if (!isChanged) return;
    states = found;
    onChange();
  }

  /** Links may lead elsewhere, and directories may have been created, since the last time. */
  function arm(): void {
    const wanted = watchedDirectories([...states.keys()]);
    let isComplete = true;
    for (const [directory, watched] of directories) {
      if (wanted.has(directory) && watched.state === identityOf(directory)) continue;
      watched.watcher?.close();
      directories.delete(directory);
    }
    for (const [directory, names] of wanted) {
      const watched = directories.get(directory) ?? open(directory);
      // The system reports the end of a directory under its own name.
      watched.names = names.add(path.basename(directory));
      isComplete &&= watched.watcher !== undefined;
    }
    pollEvery(isComplete ? slowPollMs : pollMs);
  }

  function pollEvery(everyMs: number): void {
    if (poll?.everyMs === everyMs) return;
    clearInterval(poll?.timer);
    poll = { everyMs, timer: setInterval(check, everyMs).unref() };
  }

  function open(directory: string): Watched {
    const watched: Watched = { watcher: watcherOf(directory), state: identityOf(directory), names: new Set() };
    directories.set(directory, watched);
    return watched;
  }

  /** Undefined if the system does not notify, or has no watchers left. */
  function watcherOf(directory: string): FSWatcher | undefined {
    if (isWithoutNotices(directory)) return undefined;
    try {
      const watcher = watch(directory, { persistent: false }, (_, name) => {
        if (name === null || directories.get(directory)?.names.has(name) !== false) noticed();
      });
      watcher.on('error', () => {
        watcher.close();
        // Not opened again: it would fail again.
        directories.set(directory, { watcher: undefined, state: identityOf(directory), names: new Set() });
        noticed();
      });
      return watcher;
    } catch {
      return undefined;
    }
  }

  return {
    async watch(paths) {
      const added = await statesOf(paths.filter((file) => !states.has(file)));
      if (added.size === 0 && paths.length === states.size) return false;
      // A change since the last look at a file that is watched already must be found.
      states = new Map(paths.map((file) => [file, states.get(file) ?? added.get(file) ?? '']));
      arm();
      return added.size > 0;
    },
    close() {
      for (const timer of [quiet, latest, poll?.timer]) clearTimeout(timer);
      for (const { watcher } of directories.values()) watcher?.close();
      directories.clear();
      states = new Map();
    },
  };
}

async function statesOf(paths: readonly string[]): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  // One after the other: a file system that does not respond blocks one thread.
  for (const file of paths) states.set(file, await stateOf(file));
  return states;
}
