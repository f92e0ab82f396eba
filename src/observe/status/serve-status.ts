import { messageOf } from '../../contract/errors.js';
import type { Log } from '../../platform/log.js';
import { perDirectory } from '../../platform/per-directory.js';
import { socketDirectory } from '../../platform/sockets/socket-directory.js';
import { version } from '../../platform/version.js';
import type { CallInFlight } from '../../workbench/ports/running-calls.js';
import type { ObservedSession, Sink } from '../events.js';
import { createFailureFiles } from './failure-files.js';
import { createHistory } from './history.js';
import { type Answers, openStatusSocket, type StatusSocket } from './open-status-socket.js';
import { type CallStatus, runningEveryMs, type StatusEvent } from './protocol.js';
import { createSessionBoard, type SessionBoard } from './session-board.js';
import { statusEventOf } from './status-event.js';

export interface StatusPlace {
  readonly cwd: string;
  /** Of the sockets; another one only in tests. */
  readonly directory?: string;
  /** Makes the status known. Without it a socket of this process does, which has the configuration in its name. */
  readonly publisher?: StatusPublisher | undefined;
}

export type StatusPublisher = (config: string | undefined, answers: Answers) => StatusSocket;

/** Makes the sessions of this process known: to commands over a socket, and the failures of servers in files. */
export function serveStatus(place: StatusPlace, log: Log): Sink {
  const { cwd, directory = socketDirectory() } = place;
  const { publisher = (config, answers) => openStatusSocket(directory, config, answers) } = place;
  const open = new Map<SessionBoard, ObservedSession>();
  // Of sessions that are over as well: the ends of their servers follow.
  const boards = new WeakMap<ObservedSession, SessionBoard>();
  const failureFiles = perDirectory((at) => (at === undefined ? undefined : createFailureFiles(at)));
  const status = () => ({
    pid: process.pid,
    version,
    cwd,
    sessions: Array.from(open, ([board, session]) => {
      const calls = session.calls?.().list() ?? [];
      // No event has named it yet if this is its first call.
      board.client ??= calls.find(({ client }) => client !== undefined)?.client ?? null;
      return { ...board.status(), calls: calls.map(callStatus) };
    }),
  });
  let socket: StatusSocket | undefined;
  const history = createHistory();
  const publish = (event: StatusEvent) => {
    history.add(event);
    socket?.publish(event);
  };

  /** Boards have what was published last. */
  function running(isAll: boolean): StatusEvent[] {
    const before = Date.now() - runningEveryMs;
    return Array.from(open).flatMap(([board, session]) => {
      const all = session.calls?.().list() ?? [];
      const calls = all.filter(({ since }) => since <= before).map(callStatus);
      if (!isAll && JSON.stringify(calls) === JSON.stringify(board.status().calls)) return [];
      const event = { is: 'running', session: session.id, calls } as const;
      board.apply(event);
      return [event];
    });
  }

  const cancel = (number: number) => [...open.values()].some((session) => session.calls?.().cancel(number) === true);

  /** Its name contains the configuration, so it is opened with the first session, and again for another file. */
  function listen(config: string | undefined): void {
    socket?.close();
    socket = undefined;
    try {
      socket = publisher(config, { status, history: () => history.events(), running, cancel });
    } catch (error) {
      log.warn(`other commands cannot see this session: ${messageOf(error)}`);
    }
  }

  function begin(session: ObservedSession): SessionBoard {
    const { id, config, since, cwd: its, front, why, wantedHost } = session;
    const user = userOf(session);
    const about = { id, client: null, config: config ?? null, since, cwd: its, front, why, wantedHost, user };
    const board = createSessionBoard({ ...about, servers: [], calls: [] });
    if (open.size === 0 && socket === undefined) listen(config);
    boards.set(session, board);
    open.set(board, session);
    publish({ is: 'session', session: board.status() });
    return board;
  }

  return {
    take(session, event) {
      const board = boards.get(session) ?? begin(session);
      switch (event.is) {
        case 'began':
          break;
        case 'serves':
          board.config = event.config ?? null;
          listen(event.config);
          break;
        case 'closed':
          open.delete(board);
          publish({ is: 'closed', session: session.id, config: board.config });
          break;
        default: {
          const published = statusEventOf(event, session.id, board);
          board.apply(published);
          publish(published);
          if (event.is !== 'shown' && published.is === 'server') failureFiles.of(session.cacheDirectory)?.take(event);
        }
      }
    },
    close: () => socket?.close(),
    async flush() {
      await Promise.all(failureFiles.all().flatMap((files) => (files === undefined ? [] : [files.flush()])));
    },
  };
}

function callStatus({ number, tool: { toolbox, server, name }, client, since, progress }: CallInFlight): CallStatus {
  return { id: `${process.pid}-${number}`, toolbox, server, tool: name, client: client?.name, since, progress };
}

/** Of one who has a token of an issuer, enough of the key to tell users apart. */
function userOf({ principal }: ObservedSession): string | undefined {
  return /^[\da-f]{32}$/.test(principal) ? principal.slice(0, 8) : undefined;
}
