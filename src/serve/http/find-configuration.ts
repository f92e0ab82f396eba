import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileName } from '../../config/files/find.js';
import { type Configuration, findConfiguration, readConfiguration } from '../../config/read/configuration.js';
import type { Computer } from '../../platform/computer.js';
import { configDirectoryOf } from '../../platform/directories.js';
import type { Log } from '../../platform/log.js';

/**
 * The file that a service uses: one that is named, or the user's own, never one found in the working directory. `--config` and
 * WORKBENCH_CONFIG as everywhere; without a file, the embedded configuration.
 */
export function servicePath(given: string | undefined, computer: Computer): string | undefined {
  return given ?? (computer.env['WORKBENCH_CONFIG'] || path.join(configDirectoryOf(computer), fileName));
}

export function findServiceConfiguration(
  given: string | undefined,
  computer: Computer,
  log: Log,
): Promise<Configuration> {
  const file = servicePath(given, computer);
  const isOwn = given === undefined && !computer.env['WORKBENCH_CONFIG'];
  return isOwn && file !== undefined && !existsSync(file)
    ? readConfiguration(undefined, computer, log)
    : findConfiguration(file, computer, log);
}
