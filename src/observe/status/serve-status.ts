import type { ServerConfig } from '../../config/config.js';
import { messageOf } from '../../contract/errors.js';
import type { Log } from '../../platform/log.js';
import { perDirectory } from '../../platform/per-directory.js';
import { socketDirectory } from '../../platform/sockets/socket-directory.js';
import { version } from '../../platform/version.js';
import type { Observer, ServerEvent } from '../../workbench/ports/observer.js';
import { createFailureFiles } from './failure-files.js';
import { createHistory } from './history.js';
import { type Answers, openStatusSocket, type StatusSocket } from './open-status-socket.js';
import type { StatusEvent } from './protocol.js';
import { createSessionBoard, type SessionBoard } from './session-board.js';

/** Makes the sessions of this process known: to commands over a socket, and the failures of servers in files. */
export interface StatusServer {
  add(session: ServedSession): SessionReport;
  /** Removes the socket at once. */
  close(): void;
  /** Resolves when all files are written. */
  flush(): Promise<void>;
}

export interface SessionReport extends Observer {
  /** The session serves another configuration from now on; undefined: the embedded one. */
  serve(config: string | undefined): void;
  close(): void;
}

export interface ServedSession {
  readonly id: string;
  /** The path of its configuration; undefined for the embedded one. */
  readonly config: string | undefined;
  readonly since: number;
  /** Its working directory and the process of its client, where they are not those of this process. */
  readonly cwd?: string | undefined;
  readonly front?: number | undefined;
  /** Why it is not served by a host, if it tried. */
  readonly why?: string | undefined;
  /** For the failures of its servers; without it they are not kept. */
  readonly cacheDirectory?: string | undefined;
}

interface Place {
  readonly cwd: string;
  /** Of the sockets; another one only in tests. */
  readonly directory?: string;
  /** Makes the status known. Without it a socket of this process does, which has the configuration in its name. */
  readonly publisher?: StatusPublisher | undefined;
}

export type StatusPublisher = (config: string | undefined, answers: Answers) => StatusSocket;

export function serveStatus(place: Place, log: Log): StatusServer {
  const { cwd, directory = socketDirectory() } = place;
  const { publisher = (config, answers) => openStatusSocket(directory, config, answers) } = place;
  const boards = new Map<string, SessionBoard>();
  const failureFiles = perDirectory((at) => (at === undefined ? undefined : createFailureFiles(at)));
  const status = () => ({
    pid: process.pid,
    version,
    cwd,
    sessions: Array.from(boards.values(), (one) => one.status()),
  });
  let socket: StatusSocket | undefined;
  const history = createHistory();
  const publish = (event: StatusEvent) => {
    history.add(event);
    socket?.publish(event);
  };

  /** Its name contains the configuration, so it is opened with the first session, and again for another file. */
  function open(config: string | undefined): void {
    socket?.close();
    socket = undefined;
    try {
      socket = publisher(config, { status, history: () => history.events() });
    } catch (error) {
      log.warn(`other commands cannot see this session: ${messageOf(error)}`);
    }
  }

  return {
    add({ config, cacheDirectory, ...session }) {
      const { id } = session;
      const failures = failureFiles.of(cacheDirectory);
      const board = createSessionBoard({ ...session, config: config ?? null }, publish);
      if (boards.size === 0 && socket === undefined) open(config);
      boards.set(id, board);
      publish({ is: 'session', session: board.status() });
      return {
        ...board,
        server(server: ServerConfig, event: ServerEvent) {
          failures?.server(server, event);
          board.server(server, event);
        },
        serve(next) {
          board.serve(next ?? null);
          open(next);
        },
        close() {
          boards.delete(id);
          publish({ is: 'closed', session: id, config: board.status().config });
        },
      };
    },
    close: () => socket?.close(),
    async flush() {
      await Promise.all(failureFiles.all().flatMap((files) => (files === undefined ? [] : [files.flush()])));
    },
  };
}
