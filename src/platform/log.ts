/** Log lines for people. They never go to stdout, which carries the protocol. One message is one line: it could imitate another. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export function createLog(write: (line: string) => void): Log {
  const line = (level: string) => (message: string) =>
    write(`mcp-workbench ${level}: ${message.split(/[\r\n]+[ \t]*/).join(' | ')}\n`);
  return { info: line('info'), warn: line('warning'), error: line('error') };
}

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** For an unexpected error: the details go to the log, not to the agent. */
export function internalError(log: Log, error: unknown): Error {
  log.error(`Internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new Error('Internal error in the workbench. Its log has the details.');
}
