import { readConfiguration } from '../../config/read/configuration.js';
import { findFile } from '../../config/read/find-file.js';
import type { ConfigFile } from '../../config/schema/schema.js';
import type { Computer } from '../../platform/computer.js';
import { silentLog } from '../../platform/log.js';

/** A configuration file as written: no variable is expanded, and no other file is read. */
export interface Configured {
  readonly path: string;
  /** The same, unless it was named by a relative path. */
  readonly namedFile: string | undefined;
  readonly toolboxes: ConfigFile['toolboxes'];
  readonly file: ConfigFile;
  /** About the file; each is a line. */
  readonly warnings: readonly string[];
}

/** The configuration in use, for commands that start nothing. Undefined if there is none. Throws for one with faults. */
export async function readConfigured(
  path: string | undefined,
  computer: Computer,
  warn: (message: string) => void,
): Promise<Configured | undefined> {
  const found = await findFile(path, computer, warn);
  const { source, file, warnings } = await readConfiguration(found.file, computer, silentLog);
  if (source === undefined || file === undefined) return undefined;
  const { path: at, isRelative } = source;
  return { path: at, namedFile: isRelative ? undefined : at, toolboxes: file.toolboxes, file, warnings };
}
