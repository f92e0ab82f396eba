import { createLogFile } from './log-file.js';

/** The stderr output of one server and the events of its connections, in a file for the user to read. */
export interface ServerLog {
  /** Undefined if nothing is written. */
  readonly file: string | undefined;
  /** An event, in our words. */
  write(text: string): void;
  /** A line that the server wrote. It is marked, so that it cannot imitate one of ours. */
  output(line: string): void;
  /** Resolves when everything written so far is in the file, or has failed to be written. */
  flush(): Promise<void>;
}

export const silentServerLog: ServerLog = {
  file: undefined,
  write: () => {},
  output: () => {},
  flush: async () => {},
};

/** Appends to a file. `inTurn` runs the file operations, one log after the other. */
export function createServerLog(file: string, inTurn: (work: () => Promise<void>) => Promise<void>): ServerLog {
  const log = createLogFile(file, inTurn);
  return { file, write: log.add, output: (line) => log.add(`| ${line}`), flush: log.flush };
}
