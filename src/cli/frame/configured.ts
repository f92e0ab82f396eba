import type { FoundFile } from '../../config/files/config-file.js';
import { quickFile } from '../../config/read/quick.js';
import type { ConfigFile } from '../../config/schema/schema.js';
import type { Computer } from '../../platform/computer.js';
import { loadPart } from '../../platform/load-part.js';
import { findFile } from '../../session/configuration/find-configuration.js';

/** A configuration file as written: no variable is expanded, and no other file is read. */
export interface Configured {
  readonly path: string;
  readonly toolboxes: ConfigFile['toolboxes'];
  readonly file: ConfigFile;
  /** About the file; each is a line. */
  readonly warnings: readonly string[];
}

/**
 * The configuration in use, for commands that start nothing. Undefined if there is none. The schema is loaded only for a
 * file that is not plainly valid. Throws for one with faults.
 */
export async function readConfigured(
  path: string | undefined,
  computer: Computer,
  warn: (message: string) => void,
): Promise<Configured | undefined> {
  const { file } = await findFile(path, computer, warn);
  return file === undefined ? undefined : configuredIn(file);
}

async function configuredIn({ path, text }: Pick<FoundFile, 'path' | 'text'>): Promise<Configured> {
  const quick = quickFile(text);
  if (quick !== undefined) return { path, toolboxes: quick.file.toolboxes, file: quick.file, warnings: [] };
  const { parseFile } = await loadPart(() => import('../../config/read/parse.js'));
  const { file, warnings } = parseFile(text, path);
  return { path, toolboxes: file.toolboxes, file, warnings };
}
