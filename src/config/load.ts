import type { Config } from './config.js';
import type { FindOptions } from './find.js';
import { findFile } from './find-file.js';
import { parseConfig } from './parse.js';

export { parseConfig } from './parse.js';
export type LoadOptions = FindOptions;

interface Loaded {
  /** Undefined if no file was named and none was found. */
  readonly config: Config | undefined;
  /** Why a file that was found is not used, and what else is wrong with the files. */
  readonly warnings: readonly string[];
}

/** Finds, reads and validates the configuration file. One in the working directory is used only if the user trusts it. */
export function loadConfigFile(options: LoadOptions): Loaded {
  const warnings: string[] = [];
  const file = findFile(options, (message) => void warnings.push(message));
  if (file === undefined) return { config: undefined, warnings };
  return { config: parseConfig(file.text, { path: file.path, env: options.env, home: options.home }), warnings };
}
