import { messageOf } from '../../contract/errors.js';
import { type Answers, openStatusSocket, type StatusSocket } from '../../observe/status/open-status-socket.js';
import type { ProcessStatus, ServerProcess } from '../../observe/status/protocol.js';
import type { StatusPublisher } from '../../observe/status/serve-status.js';
import type { Log } from '../../platform/log.js';
import { socketDirectory } from '../../platform/sockets/socket-directory.js';
import { version } from '../../platform/version.js';

/** Makes a service known to commands on this computer: from its start on, with its sessions when there are any. */
export interface ServiceStatus {
  /** For the engine, which is loaded with the first call. */
  readonly publisher: StatusPublisher;
  /** `config`: the path of its configuration. */
  open(url: string, config: string | undefined): void;
  close(): void;
}

interface Parts {
  readonly cwd: string;
  readonly processes: () => readonly ServerProcess[];
  readonly log: Log;
}

export function createServiceStatus({ cwd, processes, log }: Parts): ServiceStatus {
  const since = Date.now();
  let about: { readonly url: string; readonly config: string | undefined } | undefined;
  let socket: StatusSocket | undefined;
  let engine: Answers = {
    status: () => ({ pid: process.pid, version, cwd, sessions: [] }),
    history: () => [],
    running: () => [],
    cancel: () => false,
  };

  function status(): ProcessStatus {
    const { url = '', config } = about ?? {};
    return { ...engine.status(), service: { url, config: config ?? null, since, processes: processes() } };
  }

  function open(url: string, config: string | undefined): void {
    socket?.close();
    about = { url, config };
    try {
      socket = openStatusSocket(socketDirectory(), config, {
        status,
        history: () => engine.history(),
        running: (isAll) => engine.running(isAll),
        cancel: (number) => engine.cancel(number),
      });
    } catch (error) {
      socket = undefined;
      log.warn(`other commands cannot see this service: ${messageOf(error)}`);
    }
  }

  return {
    open,
    publisher(config, answers) {
      engine = answers;
      // The socket has the configuration in its name.
      if (about !== undefined && about.config !== config) open(about.url, config);
      return { publish: (event) => socket?.publish(event), close() {} };
    },
    close() {
      socket?.close();
      socket = undefined;
    },
  };
}
