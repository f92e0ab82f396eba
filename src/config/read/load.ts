import type { Config } from '../config.js';
import { type FoundFile, readConfigFile, readLocalFile } from '../files/config-file.js';
import type { FindOptions } from '../files/find.js';
import { judgeLocalFile, usableFile } from '../trust/vetting.js';
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
  const warn = (message: string) => void warnings.push(message);
  const file = trustedLocalFile(options, warn) ?? readConfigFile(options);
  if (file === undefined) return { config: undefined, warnings };
  const { text, path } = usableFile(file, warn);
  return { config: parseConfig(text, { ...options, path }), warnings };
}

function trustedLocalFile(options: LoadOptions, warn: (message: string) => void): FoundFile | undefined {
  const local = readLocalFile(options);
  return local !== undefined && judgeLocalFile(local, options, warn).isTrusted ? local.found : undefined;
}
