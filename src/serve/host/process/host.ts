import { createServer } from 'node:net';
import type { Engine } from '../../../compose.js';
import { type Answers, createStatusClients } from '../../../observe/status/open-status-socket.js';
import type { Computer } from '../../../platform/computer.js';
import { loadPart } from '../../../platform/load-part.js';
import { createLog } from '../../../platform/log.js';
import { version } from '../../../platform/version.js';
import type { Rights } from '../authority.js';
import { lingerMs, longestHelloBytes, maxHostClients } from '../limits.js';
import type { HostNames } from '../socket-names.js';
import { type Bound, bindHost } from './bind.js';
import { type HostedSession, receiveHello } from './receive-hello.js';
import { reportProcesses } from './report-processes.js';

/** The process that runs the servers of all sessions. */
export interface Host {
  /**
   * Ends every session and every server. Resolves when nothing is left, with false if a file could not be written in time.
   * `isWanted`: nothing is wrong with this process.
   */
  close(isWanted: boolean): Promise<boolean>;
  /** Writes an error to the log file of this process. */
  report(problem: string): void;
}

export interface Place {
  readonly directory: string;
  readonly names: HostNames;
  /** Of this process, and of all whose sessions it serves. */
  readonly rights: Rights;
  /** The value of `--host-name` of its sessions. */
  readonly hostName: string | undefined;
  readonly computer: Computer;
}

/** Undefined if there is a host already. `onEnd`: it was idle for a while, or a command has ended it. */
export async function startHost(
  { directory, names, rights, hostName, computer }: Place,
  onEnd: () => void,
): Promise<Host | undefined> {
  const sessions = new Set<HostedSession>();
  let bound: Bound | undefined;
  let closing: Promise<boolean> | undefined;
  let linger: NodeJS.Timeout | undefined;
  let engine: Engine | undefined;
  const log = createLog((line) => engine?.keepLine(line));
  let answers: Answers = {
    status: () => ({ pid: process.pid, version, cwd: computer.cwd, sessions: [] }),
    history: () => [],
    running: () => [],
    cancel: () => false,
  };

  const since = Date.now();
  const hostStatus = () => ({ since, name: hostName, processes: reportProcesses(engine?.processes() ?? []) });

  function wait(): void {
    clearTimeout(linger);
    if (sessions.size === 0) linger = setTimeout(onEnd, lingerMs);
  }

  const begin = once(async () => {
    const part = await loadPart(() => import('../../../compose.js'));
    engine = part.startEngine(computer, log, {
      keepsFiles: true,
      sharesServers: true,
      publisher(_, given) {
        answers = given;
        return { publish: (event) => clients.publish(event), close() {} };
      },
    });
    return { engine, assemble: part.assemble };
  });

  const clients = createStatusClients(
    {
      status: () => ({ ...answers.status(), host: hostStatus() }),
      history: () => answers.history(),
      running: (isAll) => answers.running(isAll),
      cancel: (number) => answers.cancel(number),
    },
    {
      longestAskBytes: longestHelloBytes,
      maxClients: maxHostClients,
      take(ask, socket, refuse) {
        if (ask['ask'] === 'stop') {
          socket.end('{"workbench":1,"stopping":true}\n');
          onEnd();
          return true;
        }
        if (ask['ask'] !== 'attach') return false;
        if (closing !== undefined || bound?.isCurrent() !== true) {
          refuse('ENDING', 'This host takes no new sessions');
          return true;
        }
        clearTimeout(linger);
        const session = receiveHello(ask, socket, refuse, { rights, load: begin, log });
        sessions.add(session);
        void session.over.then(() => {
          sessions.delete(session);
          wait();
        });
        return true;
      },
    },
  );
  const server = createServer((socket) => clients.accept(socket));
  bound = await bindHost(server, directory, names);
  if (bound === undefined) return undefined;
  // Accepting a connection may fail, e.g. without descriptors; then it fails for that client only.
  server.on('error', () => {});
  wait();
  // During this the session that started this process connects.
  void begin().catch(() => {});

  async function close(isWanted: boolean): Promise<boolean> {
    clearTimeout(linger);
    bound?.release();
    for (const session of sessions) session.close(isWanted);
    const isWritten = (await engine?.close()) ?? true;
    // Removes its own name.
    server.close();
    clients.close();
    return isWritten;
  }
  return {
    report: (problem) => log.error(problem),
    close(isWanted) {
      closing ??= close(isWanted);
      return closing;
    },
  };
}

/** The same promise for all callers, unless it failed. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= work().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
