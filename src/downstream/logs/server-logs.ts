import { type ServerName, serverLogFile } from './log-names.js';
import { createServerLog, type ServerLog, silentServerLog } from './server-log.js';

/** The log files of all servers. */
export interface ServerLogs {
  /** The log of one server, or of another process with its names: the same object every time, so that two connections never write to one file at the same time. */
  of(server: ServerName, number?: number): ServerLog;
  /** Resolves when everything written so far is in the files, or has failed to be written. */
  flush(): Promise<void>;
}

/** Without a directory nothing is written. */
export function createServerLogs(directory: string | undefined): ServerLogs {
  const logs = new Map<string, ServerLog>();
  // One file at a time: a file system that does not respond blocks only one thread of Node's pool.
  let last = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    last = last.then(work);
    return last;
  };

  return {
    of(server, number) {
      if (directory === undefined) return silentServerLog;
      const file = serverLogFile(directory, server, number);
      const log = logs.get(file) ?? createServerLog(file, inTurn);
      logs.set(file, log);
      return log;
    },
    async flush() {
      await Promise.all(Array.from(logs.values(), (log) => log.flush()));
    },
  };
}
