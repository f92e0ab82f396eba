import { createLogFile } from '../../../downstream/logs/log-file.js';
import { ownLogFile } from '../../../downstream/logs/log-names.js';
import { flushLimitMs } from '../../../limits.js';
import type { Computer } from '../../../platform/computer.js';
import { silentLog } from '../../../platform/log.js';
import { settlesWithin } from '../../../platform/time-limit.js';
import { fileDirectories } from '../../../platform/usable-directories.js';

/** The log file of the workbench, for the lines of a session's own process. The host writes the others. */
export interface FrontLog {
  add(line: string): void;
  /** False if the lines could not be written in time. */
  close(): Promise<boolean>;
}

/** A part that is loaded with the first line: most sessions have none. Undefined if no file may be written, which the host reports. */
export function openFrontLog(computer: Computer): FrontLog | undefined {
  const { logDirectory } = fileDirectories(computer, silentLog);
  if (logDirectory === undefined) return undefined;
  const file = createLogFile(ownLogFile(logDirectory), (work) => work());
  return {
    add: (line) => file.add(`[${process.pid}] ${line}`),
    close: () => settlesWithin(flushLimitMs, file.flush()),
  };
}
