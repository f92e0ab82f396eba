import type { ServerConfig } from '../../config/config.js';
import type { Log } from '../../platform/log.js';
import { printable } from '../../text/printable.js';
import type { ReplaceAny } from '../../text/replace-any.js';
import type { Journal } from '../protocol/journal.js';
import type { ServerLog } from './server-log.js';

/** Writes to the server's log file, and warnings to the log of the workbench as well. `replaceSecrets`: in texts for people. */
export function createJournal(
  server: ServerConfig,
  replaceSecrets: ReplaceAny,
  serverLog: ServerLog,
  log: Log,
): Journal {
  // In this order: a secret with hidden characters in it would become readable when they are removed.
  const mask: ReplaceAny = (text, isCut) => replaceSecrets(printable(text), isCut);
  const note = (text: string) => serverLog.write(`workbench: ${mask(text)}`);
  return {
    file: serverLog.file,
    mask,
    note,
    warn(text) {
      log.warn(`${server.toolbox}/${server.name}: ${mask(text)}`);
      note(text);
    },
    output: (line) => serverLog.output(line),
  };
}
