import type { Config } from '../config/config.js';
import { findFile } from '../config/find-file.js';
import type { Computer } from '../platform/computer.js';
import { loadPart } from '../platform/load-part.js';

/** The configuration that a command works on; undefined if no file was named and none was found. `path`: the value of `--config`. */
export async function readConfig(
  path: string | undefined,
  computer: Computer,
  warn: (message: string) => void,
): Promise<Config | undefined> {
  const file = findFile({ ...computer, ...(path !== undefined && { path }) }, warn);
  if (file === undefined) return undefined;
  const { parseConfig } = await loadPart(() => import('../config/parse.js'));
  const config = parseConfig(file.text, { path: file.path, env: computer.env, home: computer.home });
  config.warnings.forEach(warn);
  return config;
}
