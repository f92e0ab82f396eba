import type { ServerName } from './log-names.js';
import { createServerLog, type ServerLog, silentServerLog } from './server-log.js';

/** The log files of all servers. */
export interface ServerLogs {
  /** The log of one server: the same object every time, so that two connections never write to one file at the same time. */
  of(server: ServerName): ServerLog;
  /** Resolves when everything written so far is in the files, or has failed to be written. */
  flush(): Promise<void>;
}

/** Without a directory nothing is written. */
export function createServerLogs(directory: string | undefined): ServerLogs {
  const logs = new Map<string, Map<string, ServerLog>>();
  // One file at a time: a file system that does not respond blocks only one thread of Node's pool.
  let last = Promise.resolve();
  const inTurn = (work: () => Promise<void>) => {
    last = last.then(work);
    return last;
  };

  return {
    of({ toolbox, name }) {
      if (directory === undefined) return silentServerLog;
      const servers = logs.get(toolbox) ?? new Map<string, ServerLog>();
      logs.set(toolbox, servers);
      const log = servers.get(name) ?? createServerLog(directory, { toolbox, name }, inTurn);
      servers.set(name, log);
      return log;
    },
    async flush() {
      const all = [...logs.values()].flatMap((servers) => [...servers.values()]);
      await Promise.all(all.map((log) => log.flush()));
    },
  };
}
