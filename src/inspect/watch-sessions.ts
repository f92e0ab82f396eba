import type { ProcessStatus, StatusEvent } from '../observe/status/protocol.js';
import { socketDirectory, socketDirectoryProblem, socketPath } from '../platform/sockets/socket-directory.js';
import { parseName, type SocketName } from '../platform/sockets/socket-names.js';
import { wireNumber } from '../platform/sockets/wire-number.js';
import { askStatus } from './ask-status.js';
import { namesIn } from './list-sessions.js';
import { watchProcess } from './watch-process.js';

/** What is heard of the processes of this user that serve sessions. `key` names a connection to one of them. */
export interface SessionsListener {
  /** How it stands: when it is first heard of, and every few seconds. */
  status(key: string, status: ProcessStatus): void;
  /** Follows the first status: all that the process remembers, in one or more pieces. */
  past(key: string, events: readonly StatusEvent[]): void;
  event(key: string, event: StatusEvent): void;
  /** `silent`: it does not answer. `foreign`: it is of another version, or answers something else. */
  unclear(key: string, name: SocketName, why: 'silent' | 'foreign'): void;
  gone(key: string): void;
}

/** A person looks at it: a new session is there within a second. */
const lookEveryMs = 400;
/** A process that is stopped keeps its connections, and sends nothing. */
const askEveryMs = 2_000;
/** More would be those of a broken script. */
const maxWatched = 64;

interface Watched {
  readonly name: SocketName;
  readonly stop: () => void;
  state: 'watched' | 'over' | 'foreign';
}

/**
 * Watches the sessions of this user, later ones included. The returned function ends it. Writes and removes nothing.
 * `isWanted`: the others are left alone, and have no work with it.
 */
export function watchSessions(
  listener: SessionsListener,
  directory = socketDirectory(),
  isWanted: (name: SocketName) => boolean = () => true,
): () => void {
  const watched = new Map<string, Watched>();
  let isClosed = false;

  function look(): void {
    const names = new Set(socketDirectoryProblem(directory) === undefined ? namesIn(directory) : []);
    for (const [key, { state }] of watched) {
      if (state === 'watched' || names.has(key)) continue;
      watched.delete(key);
      if (state === 'foreign') listener.gone(key);
    }
    for (const key of names) {
      const name = parseName(key);
      if (name === undefined || watched.has(key) || watched.size >= maxWatched || !isWanted(name)) continue;
      watched.set(key, begin(key, name));
    }
  }

  function begin(key: string, name: SocketName): Watched {
    if (name.wire !== wireNumber) {
      listener.unclear(key, name, 'foreign');
      return { name, stop() {}, state: 'foreign' };
    }
    let isKnown = false;
    const one: Watched = { name, stop: () => stop(), state: 'watched' };
    const stop = watchProcess(socketPath(directory, key), {
      status(status) {
        isKnown = true;
        listener.status(key, status);
      },
      past: (events) => listener.past(key, events),
      event: (event) => listener.event(key, event),
      ended(why) {
        one.state = why === 'foreign' ? why : 'over';
        if (why === 'foreign') listener.unclear(key, name, why);
        else if (isKnown) listener.gone(key);
      },
    });
    return one;
  }

  /** Whether it still answers, and whether nothing was missed. What is over is tried again at the next look, if its socket is there. */
  async function ask(key: string, one: Watched): Promise<void> {
    if (one.state === 'over') watched.delete(key);
    if (one.state !== 'watched') return;
    const answer = await askStatus(socketPath(directory, key));
    // It may have ended by now.
    if (isClosed || watched.get(key)?.state !== 'watched') return;
    if (answer.is === 'silent') listener.unclear(key, one.name, 'silent');
    else if (answer.is === 'status') listener.status(key, answer.status);
  }

  const looking = setInterval(look, lookEveryMs);
  const asking = setInterval(() => {
    for (const [key, one] of watched) void ask(key, one);
  }, askEveryMs);
  look();
  return () => {
    isClosed = true;
    clearInterval(looking);
    clearInterval(asking);
    for (const { stop } of watched.values()) stop();
  };
}
