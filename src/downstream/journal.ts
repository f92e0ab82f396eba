import type { ServerConfig } from '../config/config.js';
import type { Log } from '../platform/log.js';
import { createMask } from './mask.js';
import type { Journal } from './protocol/journal.js';
import type { ServerLog } from './server-log.js';

/** Writes to the server's log file, and warnings to the log of the workbench as well. */
export function createJournal(server: ServerConfig, serverLog: ServerLog, log: Log): Journal {
  const mask = createMask(server.target);
  const note = (text: string) => serverLog.write(`workbench: ${mask(text)}`);
  return {
    mask,
    note,
    warn(text) {
      log.warn(`${server.toolbox}/${server.name}: ${mask(text)}`);
      note(text);
    },
    output: (line) => serverLog.output(line),
  };
}
